#include "marrow/deform.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/check.hpp"
#include "deform/bake_frames.hpp"
#include "deform/frame_skinner.hpp"
#include "deform/kernels/skin.hpp"

namespace marrow {
namespace {

void check_sizes(const Rig& rig, std::size_t pose, std::size_t out) {
  require(pose == rig.bones(), "deform",
          [&] { return fmt::format("the pose has {} transforms, but the rig {} bones", pose, rig.bones()); });
  require(out == rig.vertices(), "deform",
          [&] { return fmt::format("there is room for {} vertices, but the rig has {}", out, rig.vertices()); });
}

Affine blend(const Weights& weights, std::span<const Affine> pose, std::size_t i) {
  Affine sum;
  sum.m.fill(0);
  for (std::uint32_t e = weights.offsets[i]; e < weights.offsets[i + 1]; ++e) {
    const double w = weights.values[e];
    const Affine& bone = pose[weights.bones[e]];
    for (std::size_t k = 0; k < 12; ++k) sum.m[k] += w * bone.m[k];
  }
  return sum;
}

}  // namespace

void deform(const Rig& rig, std::span<const Affine> pose, std::span<Vec3> positions) {
  check_sizes(rig, pose.size(), positions.size());
  for (std::size_t i = 0; i < rig.vertices(); ++i) {
    positions[i] = transform(blend(rig.weights, pose, i), rig.mesh.positions[i]);
  }
}

void deform_normals(const Rig& rig, std::span<const Affine> pose, std::span<const Vec3> rest_normals,
                    std::span<Vec3> normals) {
  check_sizes(rig, pose.size(), normals.size());
  require(rest_normals.size() == rig.vertices(), "deform", [&] {
    return fmt::format("{} rest normals, but the rig has {} vertices", rest_normals.size(), rig.vertices());
  });
  for (std::size_t i = 0; i < rig.vertices(); ++i) {
    const Affine a = blend(rig.weights, pose, i);
    const double n[3] = {rest_normals[i].x, rest_normals[i].y, rest_normals[i].z};
    double c[3];
    for (std::size_t r = 0; r < 3; ++r) {
      const std::size_t r1 = (r + 1) % 3, r2 = (r + 2) % 3;
      c[r] = 0;
      for (std::size_t q = 0; q < 3; ++q) {
        const std::size_t k1 = (q + 1) % 3, k2 = (q + 2) % 3;
        c[r] += (a(r1, k1) * a(r2, k2) - a(r1, k2) * a(r2, k1)) * n[q];
      }
    }
    const double length = std::sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    // A singular blend gives no direction: keep the rest normal.
    normals[i] = length > 0 ? Vec3{float(c[0] / length), float(c[1] / length), float(c[2] / length)} : rest_normals[i];
  }
}

void FrameSkinner::set_pose(std::span<const Affine> pose) {
  matrices_.assign(16 * pose.size(), 0);
  for (std::size_t j = 0; j < pose.size(); ++j) {
    for (std::size_t column = 0; column < 4; ++column) {
      for (std::size_t row = 0; row < 3; ++row) matrices_[16 * j + 4 * column + row] = pose[j](row, column);
    }
  }
}

void FrameSkinner::evaluate(std::span<Vec3> positions, std::size_t begin, std::size_t end) const {
  if (begin == end) return;
  const Weights& w = rig_.weights;
  kernels::best_skin()({&rig_.mesh.positions.data()->x, w.offsets.data(), w.bones.data(), w.values.data()},
                       matrices_.data(), &positions.data()->x, begin, end);
}

Sequence bake(const Rig& rig, const Run& run) {
  validate(rig);
  return bake_frames(rig, "baking", run, [&](std::size_t t, std::span<Vec3> positions) {
    FrameSkinner skinner(rig);
    skinner.set_pose(rig.motion.frame(t));
    skinner.evaluate(positions, 0, rig.vertices());
  });
}

}  // namespace marrow
