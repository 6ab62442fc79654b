// Le & Deng 2012 (SSDR), Algorithm 1: weights and transforms in turn, until converged; rest pose as in Kavan et al.
// 2010. Differs: Nesterov momentum on the transforms, reset when the error rises.
#include "lbs/descent.hpp"

#include <algorithm>
#include <cmath>

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

void descend(const Problem& problem, State& state, int iterations, const Run& run, std::string_view stage) {
  const Space& space = problem.space;
  const Points& points = problem.points;
  for (int round = 0; round < iterations; ++round) {
    if (!stage.empty() && round > 0) run.report(progress_of(stage, round, iterations, problem, state));
    const double beta = momentum(state.streak);
    Bones bones = beta > 0 ? extrapolate(problem.model, state, beta, run) : state.bones;
    SlotWeights weights = state.weights;
    std::vector<double> rest = state.rest;
    const Choice choice = state.streak % look_around == 0 ? Choice::all_bones : Choice::near_bones;
    solve_weights({space, points, rest, bones}, problem.smoothness, choice, weights, run);
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
  if (!stage.empty()) run.report(progress_of(stage, iterations, iterations, problem, state));
}

double expected_iterations(int most, double least_gain) {
  constexpr double usual = 25;
  return least_gain > 0 ? std::min<double>(usual, most) : most;
}

double share_settled(std::span<const double> errors, int most, double least_gain) {
  constexpr std::size_t five = 5;
  const double of_all = double(errors.size()) / most;
  if (least_gain <= 0) return of_all;
  const double of_usual = double(errors.size()) / expected_iterations(most, least_gain);
  if (errors.size() <= 2 * five) return std::min(0.5, std::max(of_all, of_usual));
  // Gains fall about as the square of the number of iterations, which tells when they will be too small.
  const double gain = 1 - errors.back() / errors[errors.size() - 1 - five];
  return std::max(of_all, std::sqrt(least_gain / std::max(gain, least_gain)));
}

Progress progress_of(std::string_view stage, int iteration, int iterations, const Problem& problem,
                     const State& state) {
  const double inside = e_rms(state.error - state.springs, problem.points.count, problem.space.frames);
  return {.stage = stage,
          .fraction = double(iteration) / iterations,
          .iteration = iteration,
          .error = std::hypot(inside, problem.space.lost(problem.points.rank)),
          .vertices = problem.points.count};
}

}  // namespace marrow::lbs
