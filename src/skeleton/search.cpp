// The methods, on the search points.
#include "skeleton/search.hpp"

#include <algorithm>
#include <optional>

#include "decompose/initialise.hpp"
#include "decompose/weights.hpp"
#include "skeleton/exchange.hpp"
#include "skeleton/options.hpp"
#include "skeleton/patches.hpp"
#include "skeleton/prune.hpp"
#include "skeleton/rehang.hpp"

namespace marrow::skeletal {
namespace {

/// Iterations after the tree changed.
constexpr int steps_after_change = 5;
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
  const ssdr::Points points = ground.with_error(coordinate_share * ground.e_rms_of(state));
  const ssdr::Problem problem = ground.problem(points);
  const TreeMaker make_tree = [&](const ssdr::Bones& bones, const ssdr::Normal& normal) {
    return choose_tree(given, bones, normal, Pull::overlap, run);
  };
  const Tree tree = join_softly(problem, make_tree, plan.soft, state, run);
  Jointed jointed = make_hard(problem, tree, state, run);
  std::vector<double> curve;
  settle_hard(problem, jointed, steps_after_change, 0, curve, run);
  if (given) return jointed;
  if (improve_tree(problem, jointed, run) > 0) settle_hard(problem, jointed, steps_after_change, 0, curve, run);
  if (options.bones == 0) prune(problem, jointed, run);
  exchange_bones(problem, plan.tries, jointed, run);
  settle_hard(problem, jointed, plan.settle, 0, curve, run);
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
  ssdr::solve_transforms({}, state.axes, rigid, state.bones, run);
  ssdr::solve_weights(problem.space, problem.points, state.rest, state.bones, {}, ssdr::Choice::all_bones,
                      state.weights, run);
  state.normal = ssdr::accumulate(problem.space, problem.points, problem.points.rest, state.weights, bones, run);
  return state;
}

Jointed single_pass(const ssdr::SearchGround& ground, const SkeletonOptions& options, const Run& run) {
  const ssdr::Problem problem = ground.problem(ground.sample);
  std::vector<std::uint32_t> labels =
      cluster_points(options.method, ground.space, ground.sample, ground.neighbours, options.bones, run);
  // Clusters that stayed empty are no bones.
  std::vector<std::uint32_t> used = labels;
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (std::uint32_t& label : labels) {
    label = static_cast<std::uint32_t>(std::ranges::lower_bound(used, label) - used.begin());
  }
  const ssdr::State state = bones_of(problem, labels, used.size(), run);
  return make_hard(problem, choose_tree({}, state.bones, state.normal, Pull::centroids, run), state, run);
}

}  // namespace marrow::skeletal
