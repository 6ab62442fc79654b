#pragma once

#include "lbs/bones.hpp"
#include "lbs/linear_fit.hpp"
#include "lbs/matrices.hpp"
#include "lbs/points.hpp"
#include "lbs/pose_problem.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"
#include "marrow/rig.hpp"
#include "marrow/sequence.hpp"
#include "marrow/two_layer.hpp"
#include "two_layer/pose_metric.hpp"

namespace marrow::two_layer {

/// Refits rest pose and motion to the poses: the best ones for dense weights are not the best for two layers.
class PoseRefit {
 public:
  /// `problem`: of the rig, with this target (one frame per frame of the rig's motion). The rig must outlive this
  /// object.
  PoseRefit(const Rig& rig, const lbs::PoseProblem& problem, const Sequence& target, Refit what, const Run& run);

  /// Updates motion and rest pose for the given layers: sweeps over the bones that never raise the error, then the best
  /// rest pose.
  void update(const Dictionary& dictionary, const Coding& coding);
  /// Metric of the weights with free rest positions, for the current motion.
  PoseMetric metric(const DenseWeights& weights, const Dictionary& dictionary, const Coding& coding) const;
  /// Sum of squared distances to the poses, in units of the radius; with fixed bones, without the constant part outside
  /// their span.
  double error(const Dictionary& dictionary, const Coding& coding) const;

  /// Current values in model units.
  std::vector<Vec3> positions() const;
  std::vector<Affine> transforms() const;

 private:
  /// Coordinates of poses and bones.
  struct Coordinates {
    lbs::Space space;
    lbs::Points points;  ///< target, and the given rest pose
    lbs::Bones bones;    ///< current motion
  };
  static Coordinates of_frames(const Rig& rig, const Sequence& target, const Run& run);
  static Coordinates of_given_bones(const lbs::PoseProblem& problem);
  void move_bones(const lbs::SlotWeights& weights);
  /// The part of the target within the span of the current bones.
  lbs::Points points_within(const lbs::RowMatrix& basis) const;

  const Motion& given_;
  bool move_bones_;
  Coordinates now_;
  std::vector<Eigen::Matrix3d> axes_;
  std::vector<lbs::BoneModel> models_;  ///< allowed transforms per bone
  double limit_;                        ///< of the rest pose, in radii
  std::vector<double> rest_;
  Run run_;
};

}  // namespace marrow::two_layer
