#include <nlohmann/json.hpp>

#include "marrow/metrics.hpp"

namespace marrow {
namespace {

using Json = nlohmann::ordered_json;

struct Figure {
  const char* name;
  double ErrorStats::*value;
};
constexpr Figure figures[] = {{"rms", &ErrorStats::rms}, {"max", &ErrorStats::max}, {"p99", &ErrorStats::p99},
                              {"p95", &ErrorStats::p95}, {"q75", &ErrorStats::q75}, {"median", &ErrorStats::median},
                              {"q25", &ErrorStats::q25}};

}  // namespace

std::string to_json(const Metrics& metrics, bool per_vertex) {
  Json error = Json::object(), percent = Json::object(), per_frame = Json::object();
  for (const auto& [name, value] : figures) {
    error[name] = metrics.error.*value;
    percent[name] = metrics.percent(metrics.error.*value);
    Json& list = per_frame[name] = Json::array();
    for (const ErrorStats& frame : metrics.per_frame) list.push_back(frame.*value);
  }
  Json json = {{"vertices", metrics.vertices},
               {"frames", metrics.frames},
               {"size", metrics.size},
               {"ball_radius", metrics.ball_radius},
               {"e_rms", metrics.e_rms},
               {"distortion", metrics.distortion},
               {"error", error},
               {"error_percent", percent},
               {"normal_rms", metrics.normal_rms},
               {"normal_max", metrics.normal_max},
               {"fairness", metrics.fairness},
               {"fairness_percent", metrics.percent(metrics.fairness)},
               {"worst_frame", metrics.worst_frame},
               {"worst_vertex", metrics.worst_vertex},
               {"per_frame", per_frame}};
  if (per_vertex) {
    json["per_vertex"] = {{"rms", metrics.per_vertex_rms}, {"max", metrics.per_vertex_max}};
  }
  // Values that are not finite (the distortion of a still original) become null: JSON cannot express them.
  return json.dump(2);
}

}  // namespace marrow
