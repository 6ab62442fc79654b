#include <fmt/format.h>

#include <array>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "core/polar.hpp"
#include "marrow/ddm.hpp"

namespace marrow {
namespace {

/// A root that makes volumes smaller than this is not taken out.
constexpr double least_volume = 1e-30;

/// What a bone does beyond standing still, as seen from the root bone with the root's joint as the origin: M - 1. In
/// floats these are small where poses are, and exactly zero in the rest pose.
struct Turn {
  std::array<std::array<float, 4>, 3> rows;
};

class PoseInFloats {
 public:
  PoseInFloats(const DdmRig& ddm, std::span<const Affine> pose) {
    const Affine& bind = ddm.rig.skeleton.bind.front();
    for (std::size_t r = 0; r < 3; ++r) origin_[r] = bind(r, 3);
    root_ = pose.front();
    // A root that flattens everything (to what floats can tell) cannot be taken out; then poses are as they are.
    if (!(std::abs(determinant(root_)) > least_volume)) root_ = Affine{};
    const Affine from_root = Affine::translation(-origin_[0], -origin_[1], -origin_[2]) * inverse(root_);
    const Affine to_origin = Affine::translation(origin_[0], origin_[1], origin_[2]);
    for (const Affine& bone : pose) {
      const Affine seen = from_root * bone * to_origin;
      Turn& turn = turns_.emplace_back();
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t k = 0; k < 4; ++k) turn.rows[r][k] = static_cast<float>(seen(r, k) - (r == k ? 1 : 0));
      }
    }
  }

  const Affine& root() const { return root_; }
  const Turn& turn(std::uint32_t bone) const { return turns_[bone]; }
  std::array<float, 3> from_origin(const Vec3& p) const {
    return {static_cast<float>(p.x - origin_[0]), static_cast<float>(p.y - origin_[1]),
            static_cast<float>(p.z - origin_[2])};
  }

 private:
  std::array<double, 3> origin_{};
  Affine root_;
  std::vector<Turn> turns_;
};

/// Eq. 13c in floats: Q* and q - p. As the b of a row sum to 0 and the c to 1, the parts that stand still come out as
/// the sum of the A, and as p.
struct Blend {
  std::array<std::array<float, 3>, 3> q{};
  std::array<float, 3> shift{};
};

Blend blend(const DdmRig& ddm, const PoseInFloats& pose, std::size_t i) {
  const MultiWeights& weights = ddm.multi_weights;
  const std::array<float, 3> p = pose.from_origin(ddm.centres[i]);
  Blend out;
  for (std::uint32_t e = weights.offsets[i]; e < weights.offsets[i + 1]; ++e) {
    const MultiWeights::Value& v = weights.values[e];
    const float a[3][3] = {{v[0], v[1], v[2]}, {v[1], v[4], v[5]}, {v[2], v[5], v[7]}};
    const float b[3] = {v[3], v[6], v[8]};
    const Turn& turn = pose.turn(weights.bones[e]);
    for (std::size_t r = 0; r < 3; ++r) {
      const auto& d = turn.rows[r];
      const float way = d[0] * p[0] + d[1] * p[1] + d[2] * p[2] + d[3];
      for (std::size_t k = 0; k < 3; ++k) {
        out.q[r][k] += a[r][k] + d[0] * a[0][k] + d[1] * a[1][k] + d[2] * a[2][k] + way * b[k];
      }
      out.shift[r] += d[0] * b[0] + d[1] * b[1] + d[2] * b[2] + way * v[9];
    }
  }
  return out;
}

/// Eq. 13a: R (u - p) + q.
Vec3 place(const Blend& blend, const Vec3& centre, const Vec3& rest) {
  Eigen::Matrix3d q;
  for (int r = 0; r < 3; ++r) {
    for (int k = 0; k < 3; ++k) {
      q(r, k) = static_cast<double>(blend.q[static_cast<std::size_t>(r)][static_cast<std::size_t>(k)]);
    }
  }
  const Eigen::Matrix3f turn = nearest_rotation(q).cast<float>();
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
  const PoseInFloats in_floats(ddm, pose);
  for (std::size_t i = 0; i < ddm.vertices(); ++i) {
    positions[i] = place(blend(ddm, in_floats, i), ddm.centres[i], ddm.rig.mesh.positions[i]);
  }
  return in_floats.root();
}

void deform(const DdmRig& ddm, std::span<const Affine> pose, std::span<Vec3> positions) {
  const Affine root = deform_from_root(ddm, pose, positions);
  for (Vec3& p : positions) p = transform(root, p);
}

Sequence bake(const DdmRig& ddm, const Run& run) {
  validate(ddm);
  Sequence sequence{ddm.rig.mesh, ddm.rig.motion.timeline, {}};
  sequence.positions.resize(ddm.rig.frames() * ddm.vertices());
  parallel_for(run, "baking", ddm.rig.frames(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) deform(ddm, ddm.rig.motion.frame(t), sequence.frame(t));
  });
  return sequence;
}

}  // namespace marrow
