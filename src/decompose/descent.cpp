#include "decompose/descent.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace marrow::ssdr {
namespace {

constexpr double most_momentum = 0.95;

/// bones + beta (bones - previous), each made rigid again about the middle of what it moves.
Bones extrapolate(const State& state, double beta, const Run& run) {
  Bones next = state.bones + beta * (state.bones - state.previous);
  parallel_for(run, static_cast<std::size_t>(next.rows() / 3), 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      for (std::size_t j = 0; j < state.normal.bones; ++j) {
        if (!state.normal.linked(j, j)) continue;
        const Eigen::Matrix4d h = state.normal.block(j, j);
        const Eigen::Vector3d centre = h.block<3, 1>(0, 3) / h(3, 3);
        const auto row = static_cast<Eigen::Index>(3 * t), column = static_cast<Eigen::Index>(4 * j);
        const Eigen::Matrix3d linear = next.block<3, 3>(row, column);
        const Eigen::Vector3d image = linear * centre + next.block<3, 1>(row, column + 3);
        const Eigen::Matrix3d r = nearest_rotation(linear, state.bones.block<3, 3>(row, column));
        next.block<3, 3>(row, column) = r;
        next.block<3, 1>(row, column + 3) = image - r * centre;
      }
    }
  });
  return next;
}

}  // namespace

void descend(const Space& space, const Points& points, State& state, int iterations, const Run& run) {
  for (int k = 0; k < iterations; ++k) {
    const double streak = state.streak;
    const double beta = state.error == State::unknown ? 0 : std::min(most_momentum, streak / (streak + 3));
    Bones bones = beta > 0 ? extrapolate(state, beta, run) : state.bones;
    SlotWeights weights = state.weights;
    solve_weights(space, points, bones, weights, true, run);
    Normal normal = accumulate(space, points, weights, bone_count(bones), run);
    solve_transforms(normal, bones, run);
    const double error = energy(normal, bones);
    if (error > state.error) {
      // Too far: go on from where we were, without momentum. Without any there is nothing left to gain.
      if (beta == 0) return;
      state.streak = 0;
      state.previous = state.bones;
      continue;
    }
    state.previous = std::exchange(state.bones, std::move(bones));
    state.weights = std::move(weights);
    state.normal = std::move(normal);
    state.error = error;
    ++state.streak;
  }
}

}  // namespace marrow::ssdr
