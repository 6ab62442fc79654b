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

/// Rest pose and motion of the bones, where these may follow the poses too: what suits all weights of a vertex is not
/// the best for the few that two layers have.
class PoseRefit {
 public:
  /// `problem`: the rig's, with this target, which has a frame for each of its motion. The rig must live as long.
  PoseRefit(const Rig& rig, const lbs::PoseProblem& problem, const Sequence& target, Refit what, const Run& run);

  /// Motion and rest pose for what the layers blend: some sweeps over the bones, none of which raises the error, then
  /// the best rest pose.
  void update(const Dictionary& dictionary, const Coding& coding);
  /// By how much a change of weights brings the vertices nearer to the poses, each with the best rest position for it.
  PoseMetric metric(const DenseWeights& weights, const Dictionary& dictionary, const Coding& coding) const;
  /// The sum of squared distances to the poses, in units of the radius; where bones stay, without the part that none of
  /// their blends could change.
  double error(const Dictionary& dictionary, const Coding& coding) const;

  /// As they are now, in the model's units.
  std::vector<Vec3> positions() const;
  std::vector<Affine> transforms() const;

 private:
  /// What poses and bones are written in.
  struct Coordinates {
    lbs::Space space;
    lbs::Points points;  ///< the target, and the rest pose as given
    lbs::Bones bones;    ///< as they are now
  };
  static Coordinates of_frames(const Rig& rig, const Sequence& target, const Run& run);
  static Coordinates of_given_bones(const lbs::PoseProblem& problem);
  void move_bones(const lbs::SlotWeights& weights);
  /// The target as the bones of now can reach it.
  lbs::Points points_within(const lbs::RowMatrix& basis) const;

  const Motion& given_;
  bool move_bones_;
  Coordinates now_;
  std::vector<Eigen::Matrix3d> axes_;
  std::vector<lbs::BoneModel> models_;  ///< what each bone may do
  double limit_;                        ///< of the rest pose, in radii
  std::vector<double> rest_;
  const Run& run_;
};

}  // namespace marrow::two_layer
