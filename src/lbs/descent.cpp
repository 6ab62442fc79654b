// Le & Deng 2012 (SSDR), Algorithm 1: weights and transforms in turn, until converged; rest pose as in Kavan et al.
// 2010. Differs: Nesterov momentum on the transforms, reset when the error rises.
#include "lbs/descent.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "lbs/rest_pose.hpp"
#include "lbs/weight_solve.hpp"

namespace marrow::lbs {
namespace {

/// bones + beta (bones - previous), each projected to its kind, about the centroid of its vertices.
Bones extrapolate(const BoneModel& model, const State& state, double beta, const Run& run) {
  Bones next = state.bones + beta * (state.bones - state.previous);
  parallel_for(run, std::size_t(next.rows() / 3), 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      for (std::size_t j = 0; j < state.normal.bones; ++j) {
        if (!state.normal.linked(j, j)) continue;
        const Eigen::Matrix4d h = state.normal.block(j, j);
        const Eigen::Vector3d centre = h.block<3, 1>(0, 3) / h(3, 3);
        const auto row = Eigen::Index(3 * t), column = Eigen::Index(4 * j);
        const Eigen::Matrix3d linear = next.block<3, 3>(row, column);
        const Eigen::Vector3d image = linear * centre + next.block<3, 1>(row, column + 3);
        const Eigen::Matrix3d l =
            fit_linear(model, linear, Eigen::Matrix3d::Identity(), state.axes[j], state.bones.block<3, 3>(row, column));
        next.block<3, 3>(row, column) = l;
        next.block<3, 1>(row, column + 3) = image - l * centre;
      }
    }
  });
  return next;
}

}  // namespace

double momentum(int streak) {
  constexpr double most = 0.95;
  return std::min(most, double(streak) / (streak + 3));
}

void descend(const Problem& problem, State& state, int iterations, const Run& run) {
  const Space& space = problem.space;
  const Points& points = problem.points;
  for (int k = 0; k < iterations; ++k) {
    const double beta = momentum(state.streak);
    Bones bones = beta > 0 ? extrapolate(problem.model, state, beta, run) : state.bones;
    SlotWeights weights = state.weights;
    std::vector<double> rest = state.rest;
    const Choice choice = state.streak % look_around == 0 ? Choice::all_bones : Choice::near_bones;
    solve_weights(space, points, rest, bones, problem.smoothness, choice, weights, run);
    if (problem.move_rest) solve_rest_pose(space, points, bones, weights, problem.rest_limit, rest, run);
    Normal normal = accumulate(space, points, rest, weights, bone_count(bones), run);
    const bool joined = !problem.joints.empty();
    const Normal held = joined ? with_joints(normal, problem.joints) : Normal{};
    solve_transforms(problem.model, state.axes, joined ? held : normal, bones, run);
    const double data = energy(normal, bones, run);
    const double springs = problem.smoothness.energy(weights, run) + (joined ? energy(held, bones, run) - data : 0) +
                           space.per_influence() * weights.slots_used(points.count);
    const double error = data + springs;
    if (!(error <= state.error)) {
      // The momentum overshot: continue from the best state without it. Without momentum, converged.
      if (beta == 0) return;
      state.streak = 0;
      state.previous = state.bones;
      continue;
    }
    state.previous = std::exchange(state.bones, std::move(bones));
    state.weights = std::move(weights);
    state.rest = std::move(rest);
    state.normal = std::move(normal);
    state.error = error;
    state.springs = springs;
    ++state.streak;
  }
}

}  // namespace marrow::lbs
