#include "model/multi_blend.hpp"

#include <cmath>

#include "core/polar.hpp"

namespace marrow::model {
namespace {

/// Smallest determinant of a root transform that is inverted.
constexpr double least_volume = 1e-30;

}  // namespace

PoseInFloats::PoseInFloats(const Skeleton& skeleton, std::span<const Affine> pose) {
  const Affine& bind = skeleton.bind.front();
  for (std::size_t r = 0; r < 3; ++r) origin_[r] = bind(r, 3);
  root_ = pose.front();
  // A singular root cannot be factored out: keep the pose as it is.
  if (!(std::abs(determinant(root_)) > least_volume)) root_ = Affine{};
  const Affine from_root = Affine::translation(-origin_[0], -origin_[1], -origin_[2]) * inverse(root_);
  const Affine to_origin = Affine::translation(origin_[0], origin_[1], origin_[2]);
  turns_.reserve(pose.size());
  for (const Affine& bone : pose) {
    const Affine seen = from_root * bone * to_origin;
    Turn& turn = turns_.emplace_back();
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 4; ++c) turn.rows[r][c] = float(seen(r, c) - (r == c ? 1 : 0));
    }
  }
}

Blend blend(const MultiWeights& weights, std::size_t i, const Vec3& centre, const PoseInFloats& pose) {
  const std::array<float, 3> p = pose.from_origin(centre);
  Blend out;
  for (std::uint32_t e = weights.offsets[i]; e < weights.offsets[i + 1]; ++e) {
    const MultiWeights::Value& v = weights.values[e];
    const float a[3][3] = {{v[0], v[1], v[2]}, {v[1], v[4], v[5]}, {v[2], v[5], v[7]}};
    const float b[3] = {v[3], v[6], v[8]};
    const Turn& turn = pose.turn(weights.bones[e]);
    for (std::size_t r = 0; r < 3; ++r) {
      const auto& d = turn.rows[r];
      const float way = d[0] * p[0] + d[1] * p[1] + d[2] * p[2] + d[3];
      for (std::size_t c = 0; c < 3; ++c) {
        out.q[r][c] += a[r][c] + d[0] * a[0][c] + d[1] * a[1][c] + d[2] * a[2][c] + way * b[c];
      }
      out.shift[r] += d[0] * b[0] + d[1] * b[1] + d[2] * b[2] + way * v[9];
    }
  }
  return out;
}

Eigen::Matrix3d Blend::rotation() const {
  Eigen::Matrix3d m;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      m(r, c) = double(q[std::size_t(r)][std::size_t(c)]);
    }
  }
  return nearest_rotation(m);
}

}  // namespace marrow::model
