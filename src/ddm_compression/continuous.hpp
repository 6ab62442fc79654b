#pragma once

#include <span>
#include <vector>

#include "ddm_compression/examples.hpp"
#include "marrow/ddm_compression.hpp"
#include "marrow/motion_range.hpp"

namespace marrow::ddm_compression {

/// The paper's linearised model over a continuum of poses (Eq. 11): T_k = sum_j L_j Delta'_jk, where L_j stacks h_gj
/// S_g B_g^-1 over the joints g. Mixed-in poses add rows.
class LinearExamples : public Examples {
 public:
  LinearExamples(const DistinctPoints& points, const Skeleton& skeleton, const RangesOfMotion& ranges,
                 const ContinuousExamples& options, const Run& run);

  /// T_k from Delta'_jk.
  void transform(std::span<const MultiWeight> linearised, Eigen::Ref<Matrix> out) const;
  void transform(const VirtualBone& bone, Eigen::Ref<Matrix> out) const override;

 private:
  std::vector<Matrix> maps_;  ///< L_j
};

/// Eq. (3): Delta'_jk = Delta_jk (sum_j Delta_jk)^-1, in the coordinates of DistinctPoints (not about the centre).
std::vector<MultiWeight> linearise(const Vector3& centre, std::span<const MultiWeight> weights);

/// E[(M - 1)^T (M - 1)] of a joint, in its own frame: rotation R_x R_y R_z with independent angles, uniform in the
/// range, and translations up to `translation` along each axis (Eq. 11d, corrected, for any ranges).
Matrix4 second_moment(const JointRange& range, double translation);

}  // namespace marrow::ddm_compression
