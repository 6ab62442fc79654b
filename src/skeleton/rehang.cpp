// Method (ours): better parents under hard joints; the spanning tree (tree.cpp) rates pairs only. Opens every joint to
// see its cost, tries other parents for costly ones on a few frames, and keeps what lowers the cost on all.
#include "skeleton/rehang.hpp"

#include <algorithm>
#include <optional>

#include "core/parallel.hpp"
#include "lbs/descent.hpp"
#include "skeleton/trial.hpp"

namespace marrow::skeleton {
namespace {

/// A joint is costly if opening it gains `dear` of the error; a new parent must gain `least_gain` of it.
constexpr double dear = 0.01, least_gain = 0.003;
/// A new parent must also gain this share of what an open joint gains from noise.
constexpr double least_over_noise = 0.1;
/// Most new parents tried per joint.
constexpr std::size_t most_trials = 4;
/// Frames of a trial: enough to include motions that are rare.
constexpr std::size_t frames_tried_on = 48;
/// Smallest common weight of a new pair, as a share of the lighter bone's weight.
constexpr double least_shared_to_link = 0.02;

/// The tree with other parents; joints of unchanged pairs stay.
Tree with_parents(const Trial& trial, const std::vector<std::size_t>& parents, const std::optional<Link>& added) {
  std::vector<Link> links;
  for (std::size_t j = 0; j < parents.size(); ++j) {
    if (!trial.tree.is_root(j)) links.push_back({j, trial.tree.parents[j], trial.tree.joints[j], 0});
  }
  if (added) links.push_back(*added);
  return hang_as(parents, links, trial.normal);
}

/// Whether each bone is `top` or a descendant of it.
std::vector<bool> below(const Tree& tree, std::size_t top) {
  std::vector<bool> under(tree.bones(), false);
  for (const std::size_t j : tree.order) under[j] = j == top || (!tree.is_root(j) && under[tree.parents[j]]);
  return under;
}

Trial opened(const Trial& base, std::size_t joint, const Run& run) {
  Trial trial = base;
  std::vector<std::size_t> parents = base.tree.parents;
  parents[joint] = none;
  trial.tree = with_parents(base, parents, std::nullopt);
  settle_trial(trial, run);
  return trial;
}

/// Attaches the subtree `top` of `open`: the link's bone a becomes a child of its bone b.
Trial hung(const Trial& open, std::size_t top, const Link& link, const Run& run) {
  Trial trial = open;
  std::vector<std::size_t> parents = open.tree.parents;
  // Reverses the path from a to the old top.
  for (std::size_t j = link.a, above = link.b; j != none;) {
    const std::size_t next = j == top ? none : parents[j];
    parents[j] = above;
    above = j;
    j = next;
  }
  trial.tree = with_parents(open, parents, link);
  settle_trial(trial, run);
  return trial;
}

/// Other pairs that could join the subtree `top` to the rest, cheapest first.
std::vector<Link> other_places(const Trial& open, std::size_t top, std::size_t parent, const Run& run) {
  const std::vector<bool> under = below(open.tree, top);
  std::vector<Link> links;
  for (Link link : find_links(open.bones, open.normal, Pull::overlap, run)) {
    if (under[link.a] == under[link.b]) continue;
    if (!under[link.a]) std::swap(link.a, link.b);
    if (link.a == top && link.b == parent) continue;
    const double lighter = std::min(mass(open.normal, link.a), mass(open.normal, link.b));
    if (open.normal.shared(link.a, link.b) > least_shared_to_link * lighter) links.push_back(link);
  }
  std::ranges::stable_sort(links, {}, &Link::cost);
  if (links.size() > most_trials) links.resize(most_trials);
  return links;
}

}  // namespace

std::size_t improve_tree(const lbs::Problem& problem, Jointed& jointed, const Run& run) {
  const std::size_t bones = jointed.tree.bones();
  Run alone = run;
  alone.threads = 1;
  alone.progress = {};
  Trial base = make_trial(problem, jointed, frames_tried_on);
  settle_trial(base, run);
  // Relative to the error beyond noise. An open joint fits noise in three directions per frame.
  const double unit = base.share * beyond_noise(problem, jointed.data);
  const double by_noise = problem.space.noise * double(base.bones.rows());
  std::vector<std::optional<Trial>> open(bones);
  parallel_for(run, bones, 1, [&](std::size_t j, std::size_t) {
    if (!base.tree.is_root(j)) open[j] = opened(base, j, alone);
  });
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < bones; ++j) {
    if (open[j] && open[j]->energy < base.energy - dear * unit - by_noise) order.push_back(j);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t j) { return open[j]->energy; });
  std::size_t moved = 0;
  for (const std::size_t j : order) {
    if (moved > 0) open[j] = opened(base, j, run);
    const std::vector<Link> places = other_places(*open[j], j, base.tree.parents[j], run);
    std::vector<Trial> trials(places.size());
    parallel_for(run, places.size(), 1,
                 [&](std::size_t e, std::size_t) { trials[e] = hung(*open[j], j, places[e], alone); });
    const auto best = std::ranges::min_element(trials, {}, &Trial::energy);
    if (best == trials.end() || best->energy > base.energy - least_gain * unit - least_over_noise * by_noise) continue;
    base = std::move(*best);
    ++moved;
  }
  if (moved == 0) return 0;
  Jointed next = jointed;
  next.tree = base.tree;
  anchor(problem, next, run);
  for (int round = 0; round < 2; ++round) {
    solve_hard_motion(next.tree, next.normal, 3, next.bones, run);
    solve_joint_positions(next.anchors, next.normal, next.tree, next.bones, run);
  }
  measure(problem, next, run);
  // Gains in a few frames may not hold in all.
  if (next.cost >= jointed.cost) return 0;
  jointed = std::move(next);
  return moved;
}

}  // namespace marrow::skeleton
