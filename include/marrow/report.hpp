#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace marrow {

enum class Status {
  done,
  not_converged,   ///< the iteration limit came first; the value is the best so far
  stopped,         ///< a stop was asked for and the best so far was wanted
  quality_missed,  ///< the error asked for was not reached; the value is the best found
};

using Setting = std::variant<bool, std::int64_t, double, std::string>;

/// What a solver says about its run. It never grades its own result: marrow/metrics.hpp does.
struct Report {
  Status status = Status::done;
  std::vector<double> error_curve;                        ///< objective after each iteration, as E_RMS
  std::vector<std::pair<std::string, double>> timings;    ///< stage, seconds
  std::vector<std::pair<std::string, Setting>> settings;  ///< what was asked, by option name
  std::vector<std::pair<std::string, double>> figures;    ///< what the solver has to say beside the error
  std::vector<std::string> warnings;
};

template <class T>
struct Result {
  T value;
  Report report;
};

/// The report as a JSON object, indented.
std::string to_json(const Report& report);

}  // namespace marrow
