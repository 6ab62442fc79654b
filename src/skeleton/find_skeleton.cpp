// Le & Deng 2014 (method I) in find_skeleton(), the single-pass methods II to IV in single_pass(), on the sample.
// Differs: method I goes on under hard joints: better parents, pruning, exchange of bones.
#include "skeleton/find_skeleton.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "decomposition/initialise.hpp"
#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/linear_fit.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/transforms.hpp"
#include "lbs/weight_solve.hpp"
#include "marrow/stages.hpp"
#include "skeleton/exchange.hpp"
#include "skeleton/options.hpp"
#include "skeleton/patches.hpp"
#include "skeleton/prune_bones.hpp"
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

/// For the estimate of progress, in iterations of free bones: one under hard joints, moving bones once, leaving one out
/// and the search for a better tree.
constexpr double hard_iteration = 1.3, exchange = 30, removal = 10, better_tree = 10;

/// Of the steps of find_skeleton().
std::vector<double> costs_of_finding(const SkeletonOptions& options, std::size_t bones) {
  const Schedule schedule = skeleton::schedule(options.effort);
  const auto count = double(bones);
  const double superfluous = options.bones > 0 ? count - double(std::min(options.bones, bones)) : count / 4;
  const double free = options.bones == 0 && !options.tree ? 4 * count / 2 : 0;
  return {free,
          1.0 * passes_of_joints * schedule.soft,
          steps_after_change * hard_iteration,
          better_tree,
          removal * superfluous,
          schedule.tries * exchange,
          schedule.settle * hard_iteration,
          better_tree};
}

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

double cost_of_finding(const SkeletonOptions& options, std::size_t bones) {
  const std::vector<double> costs = costs_of_finding(options, bones);
  return std::accumulate(costs.begin(), costs.end(), 0.0);
}

Jointed find_skeleton(const decomposition::SearchGround& ground, lbs::State state, const GivenParents& given,
                      const SkeletonOptions& options, const Run& run) {
  const Schedule schedule = skeleton::schedule(options.effort);
  Stages stages(run, costs_of_finding(options, lbs::bone_count(state.bones)));
  Run now = stages.next();
  if (options.bones == 0 && !given) prune_free_bones(ground, state, now);
  // Noise is in all coordinates: keep them.
  const double may_lose = ground.space.noise > 0 ? 0 : coordinate_share * ground.e_rms_of(state);
  const lbs::Points points = ground.with_error(may_lose);
  const lbs::Problem problem = ground.problem(points);
  const TreeMaker make_tree = [&](const lbs::Bones& bones, const lbs::Normal& normal) {
    return choose_tree(given, bones, normal, Pull::overlap, run);
  };
  const Tree tree = join_softly(problem, make_tree, schedule.soft, state, stages.next());
  now = stages.next();
  Jointed jointed = make_hard(problem, tree, state, hard_steps, now);
  std::vector<double> curve;
  settle_hard(problem, jointed, steps_after_change, 0, curve, now);
  if (given) return jointed;
  now = stages.next();
  if (improve_tree(problem, jointed, now) > 0) settle_hard(problem, jointed, steps_after_change, 0, curve, now);
  const int sharpen_tries = problem.space.noise > 0 ? schedule.sharpen : 0;
  sharpen(problem, sharpen_tries, steps_of_sharpening, jointed, now);
  now.report({.stage = "improving the tree", .fraction = 1});
  now = stages.next();
  if (options.bones == 0) {
    prune_bones(problem, jointed, now);
  } else {
    prune_bones_to(problem, options.bones, jointed, now);
  }
  exchange_bones(problem, schedule.tries, jointed, stages.next());
  settle_hard(problem, jointed, schedule.settle, 0, curve, stages.next());
  now = stages.next();
  sharpen(problem, sharpen_tries, steps_of_sharpening, jointed, now);
  if (improve_tree(problem, jointed, now) > 0) settle_hard(problem, jointed, steps_after_change, 0, curve, now);
  stages.done();
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
  lbs::solve_weights({problem.space, problem.points, state.rest, state.bones}, {}, lbs::Choice::all_bones,
                     state.weights, run);
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
