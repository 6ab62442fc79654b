#include <fmt/format.h>

#include "core/check.hpp"
#include "marrow/ddm_rig.hpp"
#include "model/model_frames.hpp"
#include "model/multi_blend.hpp"

namespace marrow {
namespace {

using model::Blend;
using model::PoseInFloats;

/// Le et al. 2021, Eq. (13a): R (u - p) + q.
Vec3 place(const Blend& blend, const Vec3& centre, const Vec3& rest) {
  const Eigen::Matrix3f turn = blend.rotation().cast<float>();
  const float arm[3] = {rest.x - centre.x, rest.y - centre.y, rest.z - centre.z};
  const auto row = [&](int r) { return turn(r, 0) * arm[0] + turn(r, 1) * arm[1] + turn(r, 2) * arm[2]; };
  return {centre.x + (blend.shift[0] + row(0)), centre.y + (blend.shift[1] + row(1)),
          centre.z + (blend.shift[2] + row(2))};
}

void check_sizes(const DdmRig& ddm, std::size_t pose, std::size_t out) {
  require(pose == ddm.bones() && pose > 0, "deform",
          [&] { return fmt::format("the pose has {} transforms, but the rig {} bones", pose, ddm.bones()); });
  require(out == ddm.vertices(), "deform",
          [&] { return fmt::format("there is room for {} vertices, but the rig has {}", out, ddm.vertices()); });
}

}  // namespace

Affine deform_from_root(const DdmRig& ddm, std::span<const Affine> pose, std::span<Vec3> positions) {
  check_sizes(ddm, pose.size(), positions.size());
  const PoseInFloats in_floats(ddm.rig.skeleton, pose);
  for (std::size_t i = 0; i < ddm.vertices(); ++i) {
    const Blend row = model::blend(ddm.multi_weights, i, ddm.centres[i], in_floats);
    positions[i] = place(row, ddm.centres[i], ddm.rig.mesh.positions[i]);
  }
  return in_floats.root();
}

void deform(const DdmRig& ddm, std::span<const Affine> pose, std::span<Vec3> positions) {
  deform_in_world(ddm, pose, positions);
}

Sequence bake(const DdmRig& ddm, const Run& run) {
  validate(ddm);
  return bake_model(ddm, "baking", run);
}

}  // namespace marrow
