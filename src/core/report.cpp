#include "marrow/report.hpp"

#include <nlohmann/json.hpp>

namespace marrow {
namespace {

const char* name(Status status) {
  switch (status) {
    case Status::done:
      return "done";
    case Status::not_converged:
      return "not converged";
    case Status::stopped:
      return "stopped";
    case Status::quality_missed:
      return "quality missed";
  }
  return "unknown";
}

}  // namespace

std::string to_json(const Report& report) {
  nlohmann::ordered_json settings = nlohmann::ordered_json::object();
  for (const auto& [key, value] : report.settings) std::visit([&, &k = key](const auto& v) { settings[k] = v; }, value);
  nlohmann::ordered_json timings = nlohmann::ordered_json::object();
  for (const auto& [stage, seconds] : report.timings) timings[stage] = seconds;
  nlohmann::ordered_json figures = nlohmann::ordered_json::object();
  for (const auto& [name, value] : report.figures) figures[name] = value;
  const nlohmann::ordered_json json = {{"status", name(report.status)},
                                       {"settings", settings},
                                       {"error_curve", report.error_curve},
                                       {"timings", timings},
                                       {"figures", figures},
                                       {"warnings", report.warnings}};
  // Names and warnings may quote files that are not UTF-8: replace such bytes.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace marrow
