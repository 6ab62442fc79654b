// The methods, on the search points.
#include "skeleton/search.hpp"

#include <optional>

#include "decompose/initialise.hpp"
#include "decompose/weights.hpp"
#include "skeleton/exchange.hpp"
#include "skeleton/options.hpp"
#include "skeleton/patches.hpp"
#include "skeleton/prune.hpp"
#include "skeleton/rehang.hpp"
#include "skeleton/sharpen.hpp"

namespace marrow::skeletal {
namespace {

/// Iterations after the tree changed.
constexpr int steps_after_change = 5;
/// Iterations from whole weights.
constexpr int steps_of_sharpening = 20;
/// E_RMS that the coordinates may lose here, as a share of the error.
constexpr double coordinate_share = 0.15;

}  // namespace

Tree choose_tree(const GivenParents& given, const ssdr::Bones& bones, const ssdr::Normal& normal, Pull pull,
                 const Run& run) {
  if (!given) return hang(spanning_links(find_links(bones, normal, pull, run), normal.bones), normal);
  std::vector<Link> links;
  for (std::size_t j = 0; j < given->size(); ++j) {
    if ((*given)[j] != none) links.push_back(find_link(bones, normal, j, (*given)[j], pull, run));
  }
  return hang_as(*given, links, normal);
}

Jointed find_skeleton(const ssdr::SearchGround& ground, ssdr::State state, const GivenParents& given,
                      const SkeletonOptions& options, const Run& run) {
  const Schedule plan = schedule(options.effort);
  if (options.bones == 0 && !given) prune_free(ground, state, run);
  // Noise is in all coordinates alike.
  const double may_lose = ground.space.noise > 0 ? 0 : coordinate_share * ground.e_rms_of(state);
  const ssdr::Points points = ground.with_error(may_lose);
  const ssdr::Problem problem = ground.problem(points);
  const TreeMaker make_tree = [&](const ssdr::Bones& bones, const ssdr::Normal& normal) {
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

ssdr::State bones_of(const ssdr::Problem& problem, const std::vector<std::uint32_t>& labels, std::size_t bones,
                     const Run& run) {
  ssdr::SlotWeights whole;
  whole.resize(problem.points.blocks(), 1);
  for (std::size_t i = 0; i < problem.points.count; ++i) {
    whole.bones[i] = labels[i];
    whole.values[i] = 1;
    whole.used[i] = 1;
  }
  ssdr::State state(ssdr::identity_bones(problem.space.frames, bones), problem);
  const ssdr::Normal rigid = ssdr::accumulate(problem.space, problem.points, problem.points.rest, whole, bones, run);
  ssdr::solve_transforms(ssdr::Model{}, state.axes, rigid, state.bones, run);
  ssdr::solve_weights(problem.space, problem.points, state.rest, state.bones, {}, ssdr::Choice::all_bones,
                      state.weights, run);
  state.normal = ssdr::accumulate(problem.space, problem.points, problem.points.rest, state.weights, bones, run);
  return state;
}

Jointed single_pass(const ssdr::SearchGround& ground, const SkeletonOptions& options, const Run& run) {
  const ssdr::Problem problem = ground.problem(ground.sample);
  const std::vector<std::uint32_t> labels =
      cluster_points(options.method, ground.space, ground.sample, ground.neighbours, options.bones, run);
  const ssdr::State state = bones_of(problem, labels, options.bones, run);
  return make_hard(problem, choose_tree({}, state.bones, state.normal, Pull::centroids, run), state, 0, run);
}

}  // namespace marrow::skeletal
