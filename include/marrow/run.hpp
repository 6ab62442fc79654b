#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

namespace marrow {

/// Progress of a long call.
struct Progress {
  std::string_view stage;    ///< current stage, such as "reading frames"
  double fraction = 0;       ///< of this stage, 0 to 1
  int iteration = 0;         ///< 0 if the stage has no iterations
  double error = -1;         ///< E_RMS so far; negative if unknown, or if a lower one was reported before
  std::size_t vertices = 0;  ///< number of vertices that `error` is measured over; fewer than the mesh has: a sample
  double overall = -1;  ///< share of the expected time of the whole call, 0 to 1; never falls. Set by Run::report()
};

enum class LogLevel { info, warning };

/// How to run a long call. Only the seed changes the result.
struct Run {
  std::stop_token stop{};                                 ///< request a stop; the call throws Error{stopped}
  std::function<void(const Progress&)> progress{};        ///< called from the calling thread; may be empty
  int threads = 0;                                        ///< most threads; 0: all cores. Never changes the result
  std::uint64_t seed = 1;                                 ///< of every random choice
  std::function<void(LogLevel, std::string_view)> log{};  ///< may be empty

  /// Throws Error{stopped} if a stop was requested.
  void check_stop(std::string_view where) const;
  void report(Progress p) const {
    if (!progress) return;
    if (p.overall < 0) p.overall = p.fraction;  // a call of one stage
    progress(p);
  }
  void warn(std::string_view message) const {
    if (log) log(LogLevel::warning, message);
  }
};

}  // namespace marrow
