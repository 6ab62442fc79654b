#pragma once

#include "marrow/decompose.hpp"
#include "marrow/error.hpp"

namespace marrow::decomposition {

/// The same run, but it cannot be stopped.
inline Run unstoppable(const Run& run) {
  Run other = run;
  other.stop = {};
  return other;
}

/// Calls `work`; with keep_best, a stop ends it early and is noted, not passed on.
template <class Work>
void stoppable(const DecomposeOptions& options, Report& report, Work work) {
  if (report.status == Status::stopped) return;
  try {
    work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::stopped || !options.keep_best) throw;
    report.status = Status::stopped;
  }
}

}  // namespace marrow::decomposition
