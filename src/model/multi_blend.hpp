#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "marrow/ddm_rig.hpp"

namespace marrow::model {

/// M - 1 of a bone, relative to the root bone, with the root's joint as origin. Small for small motions, so that floats
/// keep precision; exactly 0 in the rest pose.
struct Turn {
  std::array<std::array<float, 4>, 3> rows;
};

/// A pose relative to its first bone.
class PoseInFloats {
 public:
  PoseInFloats(const Skeleton& skeleton, std::span<const Affine> pose);

  const Affine& root() const { return root_; }
  const Turn& turn(std::uint32_t bone) const { return turns_[bone]; }
  std::array<float, 3> from_origin(const Vec3& p) const {
    return {float(p.x - origin_[0]), float(p.y - origin_[1]), float(p.z - origin_[2])};
  }

 private:
  std::array<double, 3> origin_{};
  Affine root_;
  std::vector<Turn> turns_;
};

/// Le et al. 2021, Eq. (13c), in floats: Q* and q - p. The b of a row sum to 0 and its c (ww) to 1, so the identity
/// part contributes the sum of the A to Q* and p to q.
struct Blend {
  std::array<std::array<float, 3>, 3> q{};
  std::array<float, 3> shift{};

  /// The rotation R of Eq. (13a).
  Eigen::Matrix3d rotation() const;
};

/// Blends row i of the multi-weights about `centre`.
Blend blend(const MultiWeights& weights, std::size_t i, const Vec3& centre, const PoseInFloats& pose);

}  // namespace marrow::model
