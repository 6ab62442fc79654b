#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

namespace marrow {

/// One report of how far a long call has come.
struct Progress {
  std::string_view stage;  ///< what is being done, such as "reading frames"
  double fraction = 0;     ///< of this stage, 0 to 1
  int iteration = 0;       ///< 0 where the stage has no iterations
  double error = -1;       ///< E_RMS so far, negative where there is none
};

enum class LogLevel { info, warning };

/// How to run a long call: everything that does not change what is computed, and the seed.
struct Run {
  std::stop_token stop{};                                 ///< ask it to stop; the call throws Error{stopped}
  std::function<void(const Progress&)> progress{};        ///< called from the calling thread; may be empty
  int threads = 0;                                        ///< at most this many; 0: all cores. Never changes the result
  std::uint64_t seed = 1;                                 ///< of every random choice
  std::function<void(LogLevel, std::string_view)> log{};  ///< may be empty

  /// Throws Error{stopped} when a stop was asked for.
  void check_stop(std::string_view where) const;
  void report(const Progress& p) const {
    if (progress) progress(p);
  }
  void warn(std::string_view message) const {
    if (log) log(LogLevel::warning, message);
  }
};

}  // namespace marrow
