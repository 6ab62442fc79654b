#pragma once

#include <functional>

#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/transforms.hpp"
#include "skeleton/hard_joints.hpp"
#include "skeleton/hard_motion.hpp"
#include "skeleton/tree.hpp"

namespace marrow::skeleton {

/// Chooses hierarchy and joints for given bones.
using TreeMaker = std::function<Tree(const lbs::Bones&, const lbs::Normal&)>;

/// Bones that obey hard joints, with their weights.
struct Jointed {
  Tree tree;
  JointAnchors anchors;
  lbs::Bones bones;
  lbs::SlotWeights weights;
  lbs::Normal normal{};
  double data = 0;   ///< sum of squared residuals
  double cost = 0;   ///< data + price of influences if there is noise: compares bones and trees
  double total = 0;  ///< cost + smoothness of weights + anchors of joints
};

/// Passes of growing lambda.
inline constexpr int passes_of_joints = 7;

/// Le & Deng 2014: minimises E_D + omega E_S + lambda E_J over weights, transforms, joints and tree in turn while
/// lambda grows, `iterations` per pass. The smoothness of `problem` is omega E_S.
Tree join_softly(lbs::Problem problem, const TreeMaker& make_tree, int iterations, lbs::State& state, const Run& run);

/// Sum of squared residuals minus the expected sum of noise; at least 0.
double beyond_noise(const lbs::Problem& problem, double data);
/// The same per vertex and frame.
double mean_vertex_error(const lbs::Problem& problem, double data);
/// E_RMS, with what the reduced coordinates leave out.
double whole_e_rms(const lbs::Problem& problem, const Jointed& jointed);
/// Recomputes the anchors for the current tree and error.
void anchor(const lbs::Problem& problem, Jointed& jointed, const Run& run);
/// Computes data, cost and total.
void measure(const lbs::Problem& problem, Jointed& jointed, const Run& run);

/// Gauss-Newton steps when joints become hard.
inline constexpr int hard_steps = 10;

/// Makes joints hard: from here on translations follow from rotations. 0 steps keep the rotations.
Jointed make_hard(const lbs::Problem& problem, const Tree& tree, const lbs::State& state, int steps, const Run& run);

/// Value of `least_gain` that never stops early, even if the data term rises in favour of smoothness.
inline constexpr double go_on = -1;
/// Weights, rotations and joint positions in turn under hard joints, with momentum. The total never rises. Stops after
/// `iterations`, or when five gain less than `least_gain` of the error.
void settle_hard(const lbs::Problem& problem, Jointed& jointed, int iterations, double least_gain,
                 std::vector<double>& error_curve, const Run& run);

}  // namespace marrow::skeleton
