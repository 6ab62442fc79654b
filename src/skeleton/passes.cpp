// Le & Deng 2014 (method I): min E_D + omega E_S + lambda E_J over weights, transforms, joints and tree in turn, lambda
// growing. Differs: joints then become hard constraints, solved by Gauss-Newton with momentum.
#include "skeleton/passes.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "core/polar.hpp"
#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/space.hpp"
#include "lbs/transforms.hpp"
#include "lbs/weight_solve.hpp"

namespace marrow::skeleton {
namespace {

/// lambda of the first and last pass, in units of the mean number of vertices per bone.
constexpr double first_lambda = 0.01, last_lambda = 10;
/// Rounds of rotations (one Gauss-Newton step) and joint positions between two weight solves.
constexpr int rounds = 2;

std::vector<lbs::JointSpring> springs_of(const Tree& tree, double stiffness) {
  std::vector<lbs::JointSpring> springs;
  for (const std::size_t j : tree.order) {
    if (!tree.is_root(j)) springs.push_back({tree.parents[j], j, tree.joints[j], stiffness});
  }
  return springs;
}

/// now + beta (now - before), with rotations projected and joints enforced.
Jointed extrapolate(const Jointed& now, const Jointed& before, double beta, const Run& run) {
  Jointed next = now;
  for (std::size_t j = 0; j < now.tree.bones(); ++j) {
    next.tree.joints[j] += beta * (now.tree.joints[j] - before.tree.joints[j]);
  }
  next.bones += beta * (now.bones - before.bones);
  parallel_for(run, std::size_t(next.bones.rows() / 3), 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      for (std::size_t j = 0; j < now.tree.bones(); ++j) {
        const auto row = Eigen::Index(3 * t), column = Eigen::Index(4 * j);
        const Eigen::Matrix3d linear = next.bones.block<3, 3>(row, column);
        next.bones.block<3, 3>(row, column) = nearest_rotation(linear, now.bones.block<3, 3>(row, column));
      }
    }
  });
  apply_joints(next.tree, next.bones, run);
  return next;
}

bool settled(const std::vector<double>& curve, std::size_t first, double least_gain) {
  constexpr std::size_t span = 5;
  return curve.size() > first + span && curve.back() > (1 - least_gain) * curve[curve.size() - 1 - span];
}

}  // namespace

Tree join_softly(lbs::Problem problem, const TreeMaker& make_tree, int iterations, lbs::State& state, const Run& run) {
  const auto count = double(lbs::bone_count(state.bones));
  const double unit = double(problem.points.count) / count;
  Tree tree = make_tree(state.bones, state.normal);
  for (int pass = 0; pass < passes_of_joints; ++pass) {
    const double along = double(pass) / (passes_of_joints - 1);
    problem.joints = springs_of(tree, unit * first_lambda * std::pow(last_lambda / first_lambda, along));
    state.error = lbs::State::unknown;
    lbs::descend(problem, state, iterations, run);
    tree = make_tree(state.bones, state.normal);
    run.report({.stage = "joining bones", .fraction = double(pass + 1) / passes_of_joints, .iteration = pass + 1});
  }
  return tree;
}

double beyond_noise(const lbs::Problem& problem, double data) {
  const auto points = double(problem.points.count), rank = double(problem.points.rank);
  const double noise = problem.space.noise * rank * points;
  return std::max(0.0, data - noise);
}

double mean_vertex_error(const lbs::Problem& problem, double data) {
  return beyond_noise(problem, data) / (double(problem.points.count) * double(problem.space.frames));
}

double whole_e_rms(const lbs::Problem& problem, const Jointed& jointed) {
  return std::hypot(lbs::e_rms(jointed.data, problem.points.count, problem.space.frames),
                    problem.space.lost(problem.points.rank));
}

void anchor(const lbs::Problem& problem, Jointed& jointed, const Run& run) {
  const double error = mean_vertex_error(problem, lbs::energy(jointed.normal, jointed.bones, run));
  jointed.anchors = make_anchors(jointed.tree, jointed.normal, jointed.bones, error, run);
}

void measure(const lbs::Problem& problem, Jointed& jointed, const Run& run) {
  jointed.data = lbs::energy(jointed.normal, jointed.bones, run);
  const double price = problem.space.per_influence() * jointed.weights.slots_used(problem.points.count);
  jointed.cost = jointed.data + price;
  jointed.total =
      jointed.data + problem.smoothness.energy(jointed.weights, run) + jointed.anchors.energy(jointed.tree) + price;
}

Jointed make_hard(const lbs::Problem& problem, const Tree& tree, const lbs::State& state, int steps, const Run& run) {
  Jointed jointed{tree, {}, state.bones, state.weights, state.normal};
  solve_hard_motion(jointed.tree, jointed.normal, steps, jointed.bones, run);
  anchor(problem, jointed, run);
  measure(problem, jointed, run);
  return jointed;
}

void settle_hard(const lbs::Problem& problem, Jointed& jointed, int iterations, double least_gain,
                 std::vector<double>& error_curve, const Run& run) {
  const std::size_t first = error_curve.size();
  Jointed before = jointed;
  int streak = 0;
  for (int it = 0; it < iterations && !settled(error_curve, first, least_gain); ++it) {
    const double beta = lbs::momentum(streak);
    Jointed next = beta > 0 ? extrapolate(jointed, before, beta, run) : jointed;
    const lbs::Choice choice = it % lbs::look_around == 0 ? lbs::Choice::all_bones : lbs::Choice::near_bones;
    lbs::solve_weights({problem.space, problem.points, problem.points.rest, next.bones}, problem.smoothness, choice,
                       next.weights, run);
    next.normal =
        lbs::accumulate(problem.space, problem.points, problem.points.rest, next.weights, next.tree.bones(), run);
    for (int round = 0; round < rounds; ++round) {
      solve_hard_motion(next.tree, next.normal, 1, next.bones, run);
      solve_joint_positions(next.anchors, next.normal, next.tree, next.bones, run);
    }
    measure(problem, next, run);
    if (next.total <= jointed.total) {
      before = std::exchange(jointed, std::move(next));
      ++streak;
    } else {
      // The momentum overshot: continue from the best state without it. Without momentum, converged.
      if (beta == 0) return;
      before = jointed;
      streak = 0;
    }
    error_curve.push_back(lbs::e_rms(jointed.data, problem.points.count, problem.space.frames));
    run.report({.stage = "fitting the skeleton",
                .fraction = lbs::share_settled(std::span(error_curve).subspan(first), iterations, least_gain),
                .iteration = it + 1,
                .error = whole_e_rms(problem, jointed),
                .vertices = problem.points.count});
  }
}

}  // namespace marrow::skeleton
