// Le & Deng 2014 (slides): prunes redundant bones. Differs: removes the bone that costs least under hard joints. The
// six cheapest by decompose's removal cost are tried on a few frames, for each way to reconnect the tree.
#include "skeleton/prune_bones.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "decomposition/removal.hpp"
#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/space.hpp"
#include "lbs/transforms.hpp"
#include "lbs/weight_solve.hpp"
#include "marrow/stages.hpp"
#include "skeleton/trial.hpp"

namespace marrow::skeleton {

lbs::State as_state(const lbs::Problem& problem, const Jointed& jointed) {
  lbs::State state(jointed.bones, problem);
  state.weights = jointed.weights;
  return state;
}

namespace {

/// Iterations after each removal.
constexpr int steps_after_removal = 2;
/// Bones tried per removal, and frames of a trial.
constexpr std::size_t most_looked_at = 6, frames_of_a_trial = 24;
constexpr int steps_after_free_removal = 4;
/// A bone is needed if the error rises by this share, plus an E_RMS that is invisible.
constexpr double needed = 0.01, unseen = 0.05;

bool is_needed(double with, double without) {
  return without > (1 + needed) * with + unseen;
}

/// Parents without bone `gone`: its neighbours are joined to `kept` (its parent or a child), which takes its place.
std::vector<std::size_t> parents_after(std::vector<std::size_t> parents, std::size_t gone, std::size_t kept) {
  const std::size_t above = parents[gone];
  std::ranges::replace(parents, gone, kept);
  if (above != kept) parents[kept] = above;
  return parents;
}

/// A bone to remove, and the neighbour that takes its place in the tree.
struct Removal {
  std::size_t gone = none, kept = none;
};

/// Parents and joints while bones are removed; indices close up after each.
struct Remains {
  std::vector<std::size_t> parents;
  std::vector<Eigen::Vector3d> joints;

  void leave_out(Removal removal) {
    // The joint of the removed bone with its parent becomes that of `kept`.
    if (parents[removal.gone] != removal.kept) joints[removal.kept] = joints[removal.gone];
    parents = parents_after(parents, removal.gone, removal.kept);
    parents.erase(parents.begin() + std::ptrdiff_t(removal.gone));
    joints.erase(joints.begin() + std::ptrdiff_t(removal.gone));
    for (std::size_t& parent : parents) {
      if (parent != none && parent > removal.gone) --parent;
    }
  }

  Tree tree(const lbs::Normal& normal) const {
    std::vector<Link> links;
    for (std::size_t j = 0; j < parents.size(); ++j) {
      if (parents[j] != none) links.push_back({j, parents[j], joints[j], 0});
    }
    return hang_as(parents, links, normal);
  }
};

/// Cost in a few frames after bone `gone` is removed and its vertices get other bones.
double cost_without(const lbs::Problem& problem, const Jointed& jointed, Removal removal, const Run& run) {
  lbs::State state = as_state(problem, jointed);
  decomposition::remove_bone(state, removal.gone);
  lbs::solve_weights({problem.space, problem.points, problem.points.rest, state.bones}, problem.smoothness,
                     lbs::Choice::all_bones, state.weights, run);
  Remains remains{jointed.tree.parents, jointed.tree.joints};
  remains.leave_out(removal);
  const std::size_t count = remains.parents.size();
  Jointed fewer;
  fewer.bones = std::move(state.bones);
  fewer.data = jointed.data;
  fewer.normal = lbs::accumulate(problem.space, problem.points, problem.points.rest, state.weights, count, run);
  fewer.tree = remains.tree(fewer.normal);
  Trial trial = make_trial(problem, fewer, frames_of_a_trial);
  settle_trial(trial, run);
  return trial.energy + trial.share * problem.space.per_influence() * state.weights.slots_used(problem.points.count);
}

/// Candidates to take a bone's place: its parent and its heaviest child.
std::vector<Removal> ways_to_leave_out(const Jointed& jointed, std::size_t gone) {
  std::vector<Removal> ways;
  if (!jointed.tree.is_root(gone)) ways.push_back({gone, jointed.tree.parents[gone]});
  std::size_t heaviest = none;
  for (std::size_t j = 0; j < jointed.tree.bones(); ++j) {
    if (jointed.tree.parents[j] != gone) continue;
    if (heaviest == none || mass(jointed.normal, j) > mass(jointed.normal, heaviest)) heaviest = j;
  }
  if (heaviest != none) ways.push_back({gone, heaviest});
  return ways;
}

/// The cheapest removals, at most `most`, none of neighbouring bones. Empty if all bones are isolated roots.
std::vector<Removal> cheapest_removals(const lbs::Problem& problem, const Jointed& jointed, std::size_t most,
                                       const Run& run) {
  Run alone = run;
  alone.threads = 1;
  const std::size_t count = jointed.tree.bones();
  const std::vector<double> costs = decomposition::removal_costs(problem, as_state(problem, jointed), run);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, {}, [&](std::size_t j) { return costs[j]; });
  std::vector<std::pair<double, Removal>> all;
  std::size_t looked_at = 0;
  for (std::size_t e = 0; e < count && looked_at < most_looked_at; ++e) {
    const std::vector<Removal> ways = ways_to_leave_out(jointed, order[e]);
    for (const Removal& way : ways) all.emplace_back(0, way);
    if (!ways.empty()) ++looked_at;
  }
  parallel_for(run, all.size(), 1, [&](std::size_t e, std::size_t) {
    all[e].first = cost_without(problem, jointed, all[e].second, alone);
  });
  std::ranges::stable_sort(all, {}, [](const auto& one) { return one.first; });
  std::vector<Removal> chosen;
  std::vector<bool> taken(count, false);
  for (const auto& [cost, removal] : all) {
    if (chosen.size() == most || taken[removal.gone] || taken[removal.kept]) continue;
    taken[removal.gone] = taken[removal.kept] = true;
    chosen.push_back(removal);
  }
  return chosen;
}

/// Removes bones; their vertices get other bones.
void remove_bones(const lbs::Problem& problem, std::vector<Removal> removals, Jointed& jointed, const Run& run) {
  Remains remains{jointed.tree.parents, jointed.tree.joints};
  lbs::State state = as_state(problem, jointed);
  // In descending order, so that the remaining indices stay valid.
  std::ranges::sort(removals, std::greater{}, &Removal::gone);
  for (std::size_t e = 0; e < removals.size(); ++e) {
    remains.leave_out(removals[e]);
    decomposition::remove_bone(state, removals[e].gone);
    for (std::size_t later = e + 1; later < removals.size(); ++later) {
      if (removals[later].kept > removals[e].gone) --removals[later].kept;
    }
  }
  jointed.bones = std::move(state.bones);
  jointed.weights = std::move(state.weights);
  lbs::solve_weights({problem.space, problem.points, problem.points.rest, jointed.bones}, problem.smoothness,
                     lbs::Choice::all_bones, jointed.weights, run);
  jointed.normal =
      lbs::accumulate(problem.space, problem.points, problem.points.rest, jointed.weights, remains.parents.size(), run);
  jointed.tree = remains.tree(jointed.normal);
  solve_hard_motion(jointed.tree, jointed.normal, 4, jointed.bones, run);
  anchor(problem, jointed, run);
  solve_joint_positions(jointed.anchors, jointed.normal, jointed.tree, jointed.bones, run);
  measure(problem, jointed, run);
}

}  // namespace

void prune_free_bones(const decomposition::SearchGround& ground, lbs::State& state, const Run& run) {
  const lbs::Problem problem = ground.problem(ground.sample);
  const std::size_t most = lbs::bone_count(state.bones);
  for (std::size_t count = most; count > 1; --count) {
    lbs::State fewer = state;
    const std::vector<double> costs = decomposition::removal_costs(problem, fewer, run);
    decomposition::remove_bone(fewer, std::size_t(std::ranges::min_element(costs) - costs.begin()));
    lbs::descend(problem, fewer, steps_after_free_removal, run);
    if (is_needed(ground.e_rms_of(state), ground.e_rms_of(fewer))) return;
    state = std::move(fewer);
    run.report({.stage = "taking free bones out", .fraction = double(most - count + 1) / double(most)});
  }
}

void prune_bones(const lbs::Problem& problem, Jointed& jointed, const Run& run) {
  const auto e_rms = [&](const Jointed& one) {
    return lbs::e_rms(one.data, problem.points.count, problem.space.frames);
  };
  const std::size_t most = jointed.tree.bones();
  while (jointed.tree.bones() > 1) {
    Jointed fewer = jointed;
    prune_bones_to(problem, jointed.tree.bones() - 1, fewer, silent(run));
    run.report({.stage = "taking bones out", .fraction = double(most - jointed.tree.bones() + 1) / double(most)});
    if (fewer.tree.bones() == jointed.tree.bones()) return;
    if (is_needed(e_rms(jointed), e_rms(fewer))) return;
    jointed = std::move(fewer);
  }
}

void prune_bones_to(const lbs::Problem& problem, std::size_t count, Jointed& jointed, const Run& run) {
  const std::size_t most = jointed.tree.bones();
  std::vector<double> unused;
  while (jointed.tree.bones() > count) {
    // Several at once while many remain.
    const std::size_t most_now = (jointed.tree.bones() - count + 2) / 3;
    const std::vector<Removal> removals = cheapest_removals(problem, jointed, most_now, run);
    if (removals.empty()) return;
    remove_bones(problem, removals, jointed, run);
    settle_hard(problem, jointed, steps_after_removal, 0, unused, silent(run));
    run.report({.stage = "taking bones out", .fraction = double(most - jointed.tree.bones()) / double(most - count)});
  }
}

}  // namespace marrow::skeleton
