#include "ddm/options.hpp"

#include <fmt/format.h>

#include <cmath>

#include "marrow/error.hpp"
#include "marrow/metrics.hpp"

namespace marrow::ddm {
namespace {

void require_range(double value, double least, double most, const char* field) {
  if (value >= least && value <= most) return;
  throw Error(ErrorCode::bad_request, field, fmt::format("{} was asked for; give {} to {}", value, least, most));
}

void check_map(const std::vector<float>& map, std::size_t vertices, const char* field) {
  if (!map.empty() && map.size() != vertices) {
    throw Error(ErrorCode::bad_request, field,
                fmt::format("the map has {} entries, but the mesh {} vertices", map.size(), vertices));
  }
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map[i] >= 0 && map[i] <= 1) continue;
    throw Error(ErrorCode::bad_request, field, fmt::format("vertex {} has {}; give factors from 0 to 1", i, map[i]));
  }
}

}  // namespace

void check(const Rig& rig, const DdmOptions& options) {
  validate(rig);
  if (rig.vertices() == 0 || rig.bones() == 0) {
    throw Error(ErrorCode::bad_input, "ddm", "the rig has no vertices or no bones");
  }
  if (!(size_of(rig.mesh.positions) > 0)) {
    throw Error(ErrorCode::bad_input, "ddm", "all vertices of the rest pose are in one place; give one with a size");
  }
  require_range(options.rotation_reach, 0, 100, "rotation_reach");
  require_range(options.translation_reach, 0, 100, "translation_reach");
  require_range(options.lambda, 0, 1e6, "lambda");
  require_range(options.kappa, 0, 1e6, "kappa");
  require_range(options.alpha, 0, 0.999, "alpha");
  require_range(options.steps, 1, 100, "steps");
  require_range(options.prune, 0, 1, "prune");
  check_map(options.maps.rotation, rig.vertices(), "maps.rotation");
  check_map(options.maps.translation, rig.vertices(), "maps.translation");
  check_map(options.maps.blending, rig.vertices(), "maps.blending");
}

std::vector<std::pair<std::string, Setting>> settings(const DdmOptions& options) {
  const bool uniform = options.smoothing == DdmSmoothing::uniform;
  std::vector<std::pair<std::string, Setting>> out = {{"rigid_bind", options.rigid_bind},
                                                      {"smoothing", std::string(uniform ? "uniform" : "distance")}};
  if (uniform) {
    out.emplace_back("lambda", options.lambda);
    out.emplace_back("kappa", options.kappa);
  } else {
    out.emplace_back("rotation_reach", options.rotation_reach);
    out.emplace_back("translation_reach", options.translation_reach);
  }
  out.emplace_back("alpha", options.alpha);
  out.emplace_back("steps", std::int64_t(options.steps));
  out.emplace_back("prune", options.prune);
  return out;
}

}  // namespace marrow::ddm
