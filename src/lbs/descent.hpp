#pragma once

#include <span>
#include <string_view>

#include "core/neighbours.hpp"
#include "lbs/bones.hpp"
#include "lbs/linear_fit.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/smoothness.hpp"
#include "lbs/space.hpp"
#include "lbs/transforms.hpp"
#include "marrow/run.hpp"

namespace marrow::lbs {

/// What is to be fitted, and under which rules.
struct Problem {
  const Space& space;
  const Points& points;
  const Neighbours& neighbours;
  BoneModel model;
  std::size_t influences = 4;
  Smoothness smoothness{};
  bool move_rest = false;             ///< the rest pose is a variable
  double rest_limit = 0;              ///< see solve_rest_pose
  std::vector<JointSpring> joints{};  ///< hold bones together
};

/// Bones and weights on the way down, with what the momentum needs.
struct State {
  Bones bones;
  Bones previous;                     ///< bones one accepted iteration earlier
  std::vector<Eigen::Matrix3d> axes;  ///< of each bone, where bones stretch
  std::vector<double> rest;           ///< as Points::rest
  SlotWeights weights;
  Normal normal;           ///< without joints
  double error = unknown;  ///< sum of squared residuals in the reduced space, and `springs`
  double springs = 0;      ///< of the weights and of the joints, and the price of influences where there is noise
  int streak = 0;          ///< accepted iterations since the momentum was last reset

  static constexpr double unknown = 1e300;

  State(Bones start, const Problem& problem)
      : bones(std::move(start)),
        previous(bones),
        axes(bone_count(bones), Eigen::Matrix3d::Identity()),
        rest(problem.points.rest) {
    weights.resize(problem.points.blocks(), problem.influences);
  }
  /// Forget momentum and error: the bones or the problem were changed from outside.
  void reset() {
    previous = bones;
    axes.resize(bone_count(bones), Eigen::Matrix3d::Identity());
    error = unknown;
    streak = 0;
  }
};

/// Every so many iterations each vertex looks at all bones, otherwise at those near by.
inline constexpr int look_around = 4;

/// How much of the last step is made once more, after so many accepted iterations since the momentum was last reset.
double momentum(int streak);

/// Weights, rest pose where that may move, then transforms, `iterations` times (SSDR Algorithm 1), from extrapolated
/// bones: Nesterov momentum that is reset when the error rises. The error never rises. Stopping leaves the state whole.
/// With a `stage`, each iteration reports progress under that name.
void descend(const Problem& problem, State& state, int iterations, const Run& run, std::string_view stage = {});

/// For the estimate of progress of iterations that end when five of them gain less than `least_gain` of the error, or
/// all where that is not above 0: how many are expected, and the share of them that was made.
double expected_iterations(int most, double least_gain);
double share_settled(std::span<const double> errors, int most, double least_gain);

/// E_RMS of the state, with what the reduced coordinates leave out, for reports of progress.
Progress progress_of(std::string_view stage, int iteration, int iterations, const Problem& problem, const State& state);

}  // namespace marrow::lbs
