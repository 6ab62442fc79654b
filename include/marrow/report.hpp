#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace marrow {

enum class Status {
  done,
  not_converged,   ///< iteration limit reached; the value is the best so far
  stopped,         ///< stopped on request; the value is the best so far
  quality_missed,  ///< the requested error was not reached; the value is the best found
};

using Setting = std::variant<bool, std::int64_t, double, std::string>;

/// What a solver says about its run. Errors of the result are computed by marrow/metrics.hpp.
struct Report {
  Status status = Status::done;
  std::vector<double> error_curve;                        ///< objective after each iteration, as E_RMS
  std::vector<std::pair<std::string, double>> timings;    ///< stage, seconds
  std::vector<std::pair<std::string, Setting>> settings;  ///< options used, by name
  std::vector<std::pair<std::string, double>> figures;    ///< further figures of the solver, by name
  std::vector<std::string> warnings;
};

template <class T>
struct Result {
  T value;
  Report report;
};

/// The report as an indented JSON object.
std::string to_json(const Report& report);

}  // namespace marrow
