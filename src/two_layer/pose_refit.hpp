#pragma once

#include "marrow/rig.hpp"
#include "marrow/sequence.hpp"
#include "marrow/two_layer.hpp"
#include "two_layer/pose_metric.hpp"

namespace marrow::two_layer {

/// Rest pose and motion of the bones, where these may follow the poses too: what suits all weights of a vertex is not
/// the best for the few that two layers have.
class PoseRefit {
 public:
  /// The target has a frame for each of the rig's motion.
  PoseRefit(const Rig& rig, const Sequence& target, Refit what, const Run& run);

  /// The best motion and rest pose for what the layers blend. The error never rises.
  void update(const Dictionary& dictionary, const Coding& coding);
  /// By how much a change of weights brings the vertices nearer to the poses, each with the best rest position for it.
  PoseMetric metric(const DenseWeights& weights, const Dictionary& dictionary, const Coding& coding) const;
  /// The sum of squared distances to the poses, in units of the radius.
  double error(const Dictionary& dictionary, const Coding& coding) const;

  const std::vector<Vec3>& positions() const { return rig_.mesh.positions; }
  const std::vector<Affine>& transforms() const { return rig_.motion.transforms; }

 private:
  void move_bones(const ssdr::SlotWeights& weights);

  Rig rig_;  ///< as it is now; its weights are not looked at
  const Sequence& target_;
  const Run& run_;
  bool move_bones_;
  ssdr::Space space_;
  ssdr::Points points_;  ///< the target, and the rest pose as given
  ssdr::Model model_;
  double limit_;  ///< of the rest pose, in radii
  std::vector<Eigen::Matrix3d> axes_;
  std::vector<double> rest_;
  ssdr::Bones bones_;
};

}  // namespace marrow::two_layer
