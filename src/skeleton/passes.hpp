#pragma once

#include <functional>

#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/transforms.hpp"
#include "skeleton/hard.hpp"
#include "skeleton/tree.hpp"

namespace marrow::skeleton {

/// Chooses parents and joints for bones that move as they do.
using TreeMaker = std::function<Tree(const lbs::Bones&, const lbs::Normal&)>;

/// Bones that obey their joints, and the weights that go with them.
struct Jointed {
  Tree tree;
  JointAnchors anchors;
  lbs::Bones bones;
  lbs::SlotWeights weights;
  lbs::Normal normal{};
  double data = 0;   ///< sum of squared residuals
  double cost = 0;   ///< with the price of influences where there is noise: what bones and trees are judged by
  double total = 0;  ///< with the weights' springs and the joints' anchors too
};

/// E = E_D + omega E_S + lambda E_J (Le and Deng 2014): weights, transforms, joints and tree in turn while lambda
/// grows, `iterations` of each. The smoothness of `problem` is omega E_S.
Tree join_softly(lbs::Problem problem, const TreeMaker& make_tree, int iterations, lbs::State& state, const Run& run);

/// What is left of a sum of squared residuals beyond what noise makes.
double beyond_noise(const lbs::Problem& problem, double data);
/// The same as the squared error of a vertex in a frame.
double mean_error(const lbs::Problem& problem, double data);
/// New anchors, for a changed tree and the error as it is.
void anchor(const lbs::Problem& problem, Jointed& jointed, const Run& run);
/// Fills in data and total.
void measure(const lbs::Problem& problem, Jointed& jointed, const Run& run);

/// Gauss-Newton steps from where bones are to where they are best.
inline constexpr int hard_steps = 10;

/// Makes the joints hard: translations follow from rotations from here on. With 0 steps, rotations stay as they are.
Jointed make_hard(const lbs::Problem& problem, const Tree& tree, const lbs::State& state, int steps, const Run& run);

/// As least_gain: all iterations, also while the data term rises for the springs' sake.
inline constexpr double go_on = -1;
/// Weights, rotations and joint positions in turn under hard joints, with momentum; the error never rises. Ends after
/// `iterations`, or when five of them gain less than `least_gain` of the error.
void settle_hard(const lbs::Problem& problem, Jointed& jointed, int iterations, double least_gain,
                 std::vector<double>& error_curve, const Run& run);

}  // namespace marrow::skeleton
