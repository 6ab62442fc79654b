// Le & Deng 2014 (method I) in find_skeleton(), the single-pass methods II to IV in single_pass(), on the sample.
// Differs: method I goes on under hard joints: better parents, pruning, exchange of bones.
#include "skeleton/search.hpp"

#include <optional>

#include "decomposition/initialise.hpp"
#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/linear_fit.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/transforms.hpp"
#include "lbs/weight_solve.hpp"
#include "skeleton/exchange.hpp"
#include "skeleton/options.hpp"
#include "skeleton/patches.hpp"
#include "skeleton/prune.hpp"
#include "skeleton/rehang.hpp"
#include "skeleton/sharpen.hpp"

namespace marrow::skeleton {
namespace {

/// Iterations after the tree has changed.
constexpr int steps_after_change = 5;
/// Iterations that start from whole weights.
constexpr int steps_of_sharpening = 20;
/// E_RMS that the coordinates may leave out, as a share of the error.
constexpr double coordinate_share = 0.15;

}  // namespace

Tree choose_tree(const GivenParents& given, const lbs::Bones& bones, const lbs::Normal& normal, Pull pull,
                 const Run& run) {
  if (!given) return hang(spanning_links(find_links(bones, normal, pull, run), normal.bones), normal);
  std::vector<Link> links;
  for (std::size_t j = 0; j < given->size(); ++j) {
    if ((*given)[j] != none) links.push_back(find_link(bones, normal, j, (*given)[j], pull, run));
  }
  return hang_as(*given, links, normal);
}

Jointed find_skeleton(const decomposition::SearchGround& ground, lbs::State state, const GivenParents& given,
                      const SkeletonOptions& options, const Run& run) {
  const Schedule plan = schedule(options.effort);
  if (options.bones == 0 && !given) prune_free(ground, state, run);
  // Noise is in all coordinates: keep them.
  const double may_lose = ground.space.noise > 0 ? 0 : coordinate_share * ground.e_rms_of(state);
  const lbs::Points points = ground.with_error(may_lose);
  const lbs::Problem problem = ground.problem(points);
  const TreeMaker make_tree = [&](const lbs::Bones& bones, const lbs::Normal& normal) {
    return choose_tree(given, bones, normal, Pull::overlap, run);
  };
  const Tree tree = join_softly(problem, make_tree, plan.soft, state, run);
  Jointed jointed = make_hard(problem, tree, state, hard_steps, run);
  std::vector<double> curve;
  settle_hard(problem, jointed, steps_after_change, 0, curve, run);
  if (given) return jointed;
  if (improve_tree(problem, jointed, run) > 0) settle_hard(problem, jointed, steps_after_change, 0, curve, run);
  const int sharpen_tries = problem.space.noise > 0 ? plan.sharpen : 0;
  sharpen(problem, sharpen_tries, steps_of_sharpening, jointed, run);
  if (options.bones == 0) {
    prune(problem, jointed, run);
  } else {
    prune_to(problem, options.bones, jointed, run);
  }
  exchange_bones(problem, plan.tries, jointed, run);
  settle_hard(problem, jointed, plan.settle, 0, curve, run);
  sharpen(problem, sharpen_tries, steps_of_sharpening, jointed, run);
  if (improve_tree(problem, jointed, run) > 0) settle_hard(problem, jointed, steps_after_change, 0, curve, run);
  return jointed;
}

lbs::State bones_of(const lbs::Problem& problem, const std::vector<std::uint32_t>& labels, std::size_t bones,
                    const Run& run) {
  lbs::SlotWeights whole;
  whole.resize(problem.points.blocks(), 1);
  for (std::size_t i = 0; i < problem.points.count; ++i) {
    whole.bones[i] = labels[i];
    whole.values[i] = 1;
    whole.used[i] = 1;
  }
  lbs::State state(lbs::identity_bones(problem.space.frames, bones), problem);
  const lbs::Normal rigid = lbs::accumulate(problem.space, problem.points, problem.points.rest, whole, bones, run);
  lbs::solve_transforms(lbs::BoneModel{}, state.axes, rigid, state.bones, run);
  lbs::solve_weights(problem.space, problem.points, state.rest, state.bones, {}, lbs::Choice::all_bones, state.weights,
                     run);
  state.normal = lbs::accumulate(problem.space, problem.points, problem.points.rest, state.weights, bones, run);
  return state;
}

Jointed single_pass(const decomposition::SearchGround& ground, const SkeletonOptions& options, const Run& run) {
  const lbs::Problem problem = ground.problem(ground.sample);
  const std::vector<std::uint32_t> labels =
      cluster_points(options.method, ground.space, ground.sample, ground.neighbours, options.bones, run);
  const lbs::State state = bones_of(problem, labels, options.bones, run);
  return make_hard(problem, choose_tree({}, state.bones, state.normal, Pull::centroids, run), state, 0, run);
}

}  // namespace marrow::skeleton
