// Method (ours), with noise: bones that turn nearly alike can end too far apart, compensated by smooth weights, and no
// small step leads back. Restarts from whole weights: bones begin too close together and stop where they fit.
#include "skeleton/sharpen.hpp"

#include <algorithm>

#include "lbs/descent.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/transforms.hpp"
#include "lbs/weight_solve.hpp"
#include "marrow/stages.hpp"

namespace marrow::skeleton {
namespace {

/// Rounds of rotations and joint positions with whole weights.
constexpr int whole_rounds = 4;

void make_whole(lbs::SlotWeights& w) {
  for (std::size_t i = 0; i < w.used.size(); ++i) {
    if (w.used[i] == 0) continue;
    double* values = w.values.data() + i * w.influences;
    std::uint32_t* bones = w.bones.data() + i * w.influences;
    bones[0] = bones[std::max_element(values, values + w.used[i]) - values];
    values[0] = 1;
    w.used[i] = 1;
  }
}

Jointed from_whole_weights(const lbs::Problem& problem, const Jointed& jointed, int steps, const Run& run) {
  Jointed next = jointed;
  const auto accumulate = [&] {
    next.normal =
        lbs::accumulate(problem.space, problem.points, problem.points.rest, next.weights, next.tree.bones(), run);
  };
  make_whole(next.weights);
  accumulate();
  for (int round = 0; round < whole_rounds; ++round) {
    solve_hard_motion(next.tree, next.normal, 2, next.bones, run);
    solve_joint_positions(next.anchors, next.normal, next.tree, next.bones, run);
  }
  // Without smoothing, which would keep the weights whole.
  lbs::solve_weights({problem.space, problem.points, problem.points.rest, next.bones}, {}, lbs::Choice::all_bones,
                     next.weights, run);
  accumulate();
  anchor(problem, next, run);
  measure(problem, next, run);
  std::vector<double> unused;
  settle_hard(problem, next, steps, go_on, unused, silent(run));
  return next;
}

}  // namespace

void sharpen(const lbs::Problem& problem, int tries, int steps, Jointed& jointed, const Run& run) {
  for (int attempt = 0; attempt < tries; ++attempt) {
    Jointed next = from_whole_weights(problem, jointed, steps, run);
    run.report({.stage = "sharpening weights", .fraction = double(attempt + 1) / tries});
    if (next.total >= jointed.total) return;
    jointed = std::move(next);
  }
}

}  // namespace marrow::skeleton
