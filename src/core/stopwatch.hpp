#pragma once

#include <chrono>

#include "marrow/report.hpp"

namespace marrow {

/// Adds the seconds since the last lap to a report.
class Stopwatch {
 public:
  explicit Stopwatch(Report& report) : report_(report) {}
  void lap(const char* stage) {
    const auto now = std::chrono::steady_clock::now();
    report_.timings.emplace_back(stage, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  Report& report_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace marrow
