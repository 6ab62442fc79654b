#include "skeleton/trial.hpp"

#include <algorithm>

#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/transforms.hpp"

namespace marrow::skeleton {

using Eigen::Index;

Trial make_trial(const lbs::Problem& problem, const Jointed& jointed, std::size_t frames_at_most) {
  const auto frames = std::size_t(jointed.bones.rows() / 3), used = std::min(frames, frames_at_most);
  const auto rows = Index(3 * used);
  Trial trial{jointed.tree, jointed.normal, lbs::Bones(rows, jointed.bones.cols()), double(used) / double(frames),
              mean_vertex_error(problem, jointed.data)};
  trial.normal.n.resize(rows, jointed.normal.n.cols());
  for (std::size_t e = 0; e < used; ++e) {
    const auto from = Index(3 * (e * frames / used)), to = Index(3 * e);
    trial.normal.n.middleRows<3>(to) = jointed.normal.n.middleRows<3>(from);
    trial.bones.middleRows<3>(to) = jointed.bones.middleRows<3>(from);
  }
  return trial;
}

void settle_trial(Trial& trial, const Run& run) {
  const JointAnchors anchors = make_anchors(trial.tree, trial.normal, trial.bones, trial.mean_error, run);
  solve_hard_motion(trial.tree, trial.normal, 2, trial.bones, run);
  solve_joint_positions(anchors, trial.normal, trial.tree, trial.bones, run);
  solve_hard_motion(trial.tree, trial.normal, 2, trial.bones, run);
  trial.energy = lbs::energy(trial.normal, trial.bones, run);
}

}  // namespace marrow::skeleton
