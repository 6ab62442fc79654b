#pragma once

#include "marrow/decompose.hpp"
#include "marrow/error.hpp"

namespace marrow::decomposition {

/// A copy of `run` without its stop token.
inline Run unstoppable(const Run& run) {
  Run other = run;
  other.stop = {};
  return other;
}

/// Calls `work`. With keep_best, a stop ends it early and sets report.status instead of throwing.
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
