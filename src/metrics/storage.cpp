#include "core/rows.hpp"
#include "marrow/metrics.hpp"

namespace marrow {
namespace {

/// Rounding error of rotations in float, also after a few products.
constexpr double rigid_tolerance = 1e-5;

bool is_rigid(const Affine& a) {
  return determinant(a) > 0 && orthonormality_defect(a) <= rigid_tolerance;
}

}  // namespace

Bytes storage(const Rig& rig) {
  constexpr std::size_t position = 3 * sizeof(float);
  const std::size_t n = rig.vertices(), frames = rig.frames();
  std::size_t floats_per_frame = 0;
  for (std::size_t j = 0; j < rig.motion.bones; ++j) {
    bool rigid = true;
    for (std::size_t t = 0; t < frames && rigid; ++t) rigid = is_rigid(rig.motion.frame(t)[j]);
    floats_per_frame += rigid ? 7 : 12;
  }
  const std::size_t rest = n * position;
  const std::size_t weights = row_bytes(rig.weights.offsets, rig.bones()) + sizeof(float) * rig.weights.values.size();
  return {.raw_frames = frames * n * position,
          .morph_targets = rest + frames * n * position + frames * frames * sizeof(float),
          .rig = rest + weights + frames * floats_per_frame * sizeof(float)};
}

}  // namespace marrow
