#include "lbs/best_weights.hpp"

#include <algorithm>

#include "core/neighbours.hpp"
#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/points.hpp"
#include "lbs/smoothness.hpp"
#include "lbs/space.hpp"
#include "lbs/to_rig.hpp"
#include "lbs/weight_solve.hpp"
#include "marrow/stages.hpp"

namespace marrow::lbs {
namespace {

/// E_RMS that the reduced coordinates may leave out.
constexpr double tolerance_of_weights = 0.01;
/// Rounds of smoothing. A round carries a change one edge further.
constexpr int rounds_with_springs = 12;

}  // namespace

Weights best_weights(const Sequence& sequence, const Motion& motion, std::size_t influences, double smooth,
                     const Run& run) {
  Stages stages(run, {1, 1.0 + rounds_with_springs});
  const Run reducing = stages.next();
  const Space space = make_space(sequence, tolerance_of_weights, reducing);
  const Points points = make_points(sequence, space, {}, reducing);
  const Run fitting = stages.next();
  const Neighbours neighbours = mesh_neighbours(sequence.mesh);
  Problem problem{space, points, neighbours, {}, std::min(influences, motion.bones)};
  State state(to_bones(space, motion), problem);
  solve_weights({space, points, state.rest, state.bones}, {}, Choice::all_bones, state.weights, run);
  double error = 0;
  for (std::size_t i = 0; i < points.count; ++i) error += state.weights.errors[i];
  problem.smoothness =
      make_smoothness(sequence, space, neighbours, smooth, e_rms(error, points.count, space.frames), run);
  const int rounds = problem.smoothness.active() ? rounds_with_springs : 1;
  for (int round = 0; round < rounds; ++round) {
    solve_weights({space, points, state.rest, state.bones}, problem.smoothness, Choice::all_bones, state.weights, run);
    fitting.report({.stage = "fitting weights", .fraction = double(round + 1) / rounds, .iteration = round + 1});
  }
  stages.done();
  drop_small(points, state.weights);
  return to_weights(state.weights, points.count);
}

}  // namespace marrow::lbs
