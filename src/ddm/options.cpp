#include "ddm/options.hpp"

#include <fmt/format.h>

#include "core/option_fields.hpp"
#include "marrow/error.hpp"
#include "marrow/metrics.hpp"

namespace marrow {

const EnumNames<DdmSmoothing>& ddm_smoothing_names() {
  static const EnumNames<DdmSmoothing> names = {
      {DdmSmoothing::distance, "distance", "as far as the vertex is from its bone"},
      {DdmSmoothing::uniform, "uniform", "by the same lambda and kappa everywhere, as the 2019 paper does"}};
  return names;
}

std::vector<Option> option_table(DdmOptions& options) {
  using O = DdmOptions;
  const OptionFields<O> field(options);
  return {
      field(
          "rigid_bind", &O::rigid_bind,
          {.help = "First let each vertex follow only the bone with its largest weight",
           .flag = "--keep-weights",
           .flag_help =
               "Smooth the weights as they are, instead of first letting each vertex follow its strongest bone only"}),
      field("smoothing", &O::smoothing, ddm_smoothing_names(), {.help = "How far to smooth"}),
      field("rotation_reach", &O::rotation_reach,
            {.help = "How far rotations are smoothed, in distances from vertex to bone",
             .least = 0,
             .most = 100,
             .zero = "none",
             .with = "smoothing",
             .with_values = {"distance"}}),
      field("translation_reach", &O::translation_reach,
            {.help = "How far translations are smoothed, in distances from vertex to bone",
             .least = 0,
             .most = 100,
             .zero = "none",
             .with = "smoothing",
             .with_values = {"distance"}}),
      field("lambda", &O::lambda,
            {.help = "Strength of one step for rotations",
             .least = 0,
             .most = 1e6,
             .zero = "none",
             .with = "smoothing",
             .with_values = {"uniform"}}),
      field("kappa", &O::kappa,
            {.help = "Strength of one step for translations",
             .least = 0,
             .most = 1e6,
             .zero = "none",
             .with = "smoothing",
             .with_values = {"uniform"}}),
      field("alpha", &O::alpha,
            {.help = "0: skin slides as in Delta Mush; towards 1: it stays with its bones", .least = 0, .most = 0.999}),
      field("steps", &O::steps, {.help = "Smoothing steps", .least = 1, .most = 100}),
      field("prune", &O::prune,
            {.help = "Give multi-weights to the strongest bone where that moves nothing by more than this while bones "
                     "turn about their joints",
             .kind = OptionKind::share,
             .least = 0,
             .most = 1}),
  };
}

namespace ddm {
namespace {

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
  check_ranges(options);
  check_map(options.maps.rotation, rig.vertices(), "maps.rotation");
  check_map(options.maps.translation, rig.vertices(), "maps.translation");
  check_map(options.maps.blending, rig.vertices(), "maps.blending");
}

}  // namespace ddm
}  // namespace marrow
