#pragma once

#include <span>
#include <vector>

#include "ddm_compression/examples.hpp"
#include "marrow/rig.hpp"

namespace marrow::ddm_compression {

/// Transforms of the bones in some poses, relative to the first bone, in the coordinates of DistinctPoints.
class PoseSet {
 public:
  PoseSet(const DistinctPoints& points, const Motion& motion);

  std::size_t count() const { return count_; }
  std::size_t bones() const { return bones_; }
  /// [R | t] of one bone.
  const Eigen::Matrix<double, 3, 4>& at(std::size_t pose, std::uint32_t bone) const {
    return transforms_[pose * bones_ + bone];
  }

 private:
  std::size_t count_ = 0, bones_ = 0;
  std::vector<Eigen::Matrix<double, 3, 4>> transforms_;
};

/// Eqs. (13a) to (13c) in double: the rigid transform [R | t] of multi-weights about a centre. Also returns what
/// derivatives need: A = Q - q p^T and q, about the centre.
struct RowTransform {
  Eigen::Matrix3d blended;  ///< A
  Vector3 shift;            ///< q - centre
  Eigen::Matrix3d rotation;
};
RowTransform evaluate(const PoseSet& poses, std::size_t pose, const Vector3& centre,
                      std::span<const MultiWeight> weights);

/// The true model in sampled poses: three rows per pose.
class PoseExamples : public Examples {
 public:
  PoseExamples(const DistinctPoints& points, const Motion& motion, const Run& run);

  const PoseSet& poses() const { return poses_; }
  void transform(const VirtualBone& bone, Eigen::Ref<Matrix> out) const override;

 private:
  PoseSet poses_;
};

}  // namespace marrow::ddm_compression
