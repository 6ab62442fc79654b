#pragma once

#include <vector>

#include "ddm_compression/virtual_bone.hpp"
#include "marrow/ddm_compression.hpp"
#include "marrow/motion_range.hpp"
#include "marrow/run.hpp"

namespace marrow::ddm_compression {

/// Targets of the vertices, and predictions of virtual bones. Both objectives have the same form: an example is a
/// number of rows, virtual bone k a matrix T_k of that many rows and 4 columns, and the error of point i is |sum_k a_ki
/// T_k u_i - v_i|^2: the mean squared distance, in units of the size.
class Examples {
 public:
  virtual ~Examples() = default;

  Index rows() const { return targets_.rows(); }
  /// Targets v_i, one column per point.
  const Matrix& targets() const { return targets_; }
  /// |v_i|^2.
  const std::vector<double>& squares() const { return squares_; }
  /// Number of leading rows that suffice for a rough distance.
  Index rough_rows() const { return rough_rows_; }
  virtual void transform(const VirtualBone& bone, Eigen::Ref<Matrix> out) const = 0;

 protected:
  void set_targets(Matrix targets);

  Matrix targets_;
  std::vector<double> squares_;
  Index rough_rows_ = 0;
};

/// Transforms of the bones in some poses, relative to the first bone, in the coordinates of Points.
class PoseSet {
 public:
  PoseSet(const Points& points, const Motion& motion);

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
  PoseExamples(const Points& points, const Motion& motion, const Run& run);

  const PoseSet& poses() const { return poses_; }
  void transform(const VirtualBone& bone, Eigen::Ref<Matrix> out) const override;

 private:
  PoseSet poses_;
};

/// The paper's linearised model over a continuum of poses (Eq. 11): T_k = sum_j L_j Delta'_jk, where L_j stacks h_gj
/// S_g B_g^-1 over the joints g. Mixed-in poses add rows.
class LinearExamples : public Examples {
 public:
  LinearExamples(const Points& points, const Skeleton& skeleton, const RangesOfMotion& ranges,
                 const ContinuousExamples& options, const Run& run);

  /// T_k from Delta'_jk.
  void transform(std::span<const MultiWeight> linearised, Eigen::Ref<Matrix> out) const;
  void transform(const VirtualBone& bone, Eigen::Ref<Matrix> out) const override;

 private:
  std::vector<Matrix> maps_;  ///< L_j
};

/// Eq. (3): Delta'_jk = Delta_jk (sum_j Delta_jk)^-1, in the coordinates of Points (not about the centre).
std::vector<MultiWeight> linearise(const Vector3& centre, std::span<const MultiWeight> weights);

/// E[(M - 1)^T (M - 1)] of a joint, in its own frame: rotation R_x R_y R_z with independent angles, uniform in the
/// range, and translations up to `translation` along each axis (Eq. 11d, corrected, for any ranges).
Matrix4 second_moment(const JointRange& range, double translation);

}  // namespace marrow::ddm_compression
