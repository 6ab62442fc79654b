// Method (ours): exchange of bones as in decomposition/relocate.cpp, under hard joints. New bones join the tree by
// their cheapest joint, as many bones are pruned, and the result is kept if the cost falls.
#include "skeleton/exchange.hpp"

#include <algorithm>

#include "decomposition/insertion.hpp"
#include "lbs/descent.hpp"
#include "lbs/space.hpp"
#include "lbs/transforms.hpp"
#include "lbs/weight_solve.hpp"
#include "marrow/stages.hpp"
#include "skeleton/prune_bones.hpp"

namespace marrow::skeleton {
namespace {

/// Iterations after insertions, and after removals.
constexpr int steps_after_exchange = 3;

/// Inserts bones, each with its cheapest joint to another.
Jointed with_bones(const lbs::Problem& problem, const Jointed& jointed,
                   std::span<const decomposition::Insertion* const> insertions, const Run& run) {
  const std::size_t before = jointed.tree.bones();
  lbs::State state = as_state(problem, jointed);
  decomposition::insert_bones(state, insertions);
  Jointed next{jointed.tree, {}, std::move(state.bones), std::move(state.weights)};
  lbs::solve_weights({problem.space, problem.points, problem.points.rest, next.bones}, problem.smoothness,
                     lbs::Choice::all_bones, next.weights, run);
  const std::size_t count = before + insertions.size();
  next.normal = lbs::accumulate(problem.space, problem.points, problem.points.rest, next.weights, count, run);
  const std::vector<Link> links = find_links(next.bones, next.normal, Pull::overlap, run);
  for (std::size_t j = before; j < count; ++j) {
    const Link* best = nullptr;
    for (const Link& link : links) {
      // a < b: new bones are joined to old ones or to new ones before them.
      if (link.b == j && (best == nullptr || link.cost < best->cost)) best = &link;
    }
    next.tree.parents.push_back(best != nullptr ? best->a : none);
    next.tree.joints.push_back(best != nullptr ? best->joint : middle(next.normal, j));
    next.tree.order.push_back(j);
  }
  solve_hard_motion(next.tree, next.normal, 6, next.bones, run);
  anchor(problem, next, run);
  measure(problem, next, run);
  return next;
}

}  // namespace

void exchange_bones(const lbs::Problem& problem, int tries, Jointed& jointed, const Run& run) {
  const std::size_t bones = jointed.tree.bones();
  if (bones < 2) return;
  std::vector<bool> tried(problem.points.count);
  std::vector<double> unused;
  const Run within = silent(run);
  std::size_t count = std::max<std::size_t>(1, bones / 4);
  for (int attempt = 0; attempt < tries; ++attempt) {
    const lbs::State state = as_state(problem, jointed);
    const std::vector<decomposition::Insertion> proposals =
        decomposition::propose_bones(problem, state, decomposition::worst_places(problem, state, tried), run);
    if (proposals.empty()) return;
    std::vector<const decomposition::Insertion*> chosen;
    for (std::size_t e = 0; e < std::min(count, proposals.size()); ++e) {
      chosen.push_back(&proposals[e]);
      tried[proposals[e].seed] = true;
    }
    Jointed next = with_bones(problem, jointed, chosen, run);
    settle_hard(problem, next, steps_after_exchange, 0, unused, within);
    prune_bones_to(problem, bones, next, within);
    settle_hard(problem, next, steps_after_exchange, 0, unused, within);
    if (next.cost < jointed.cost) {
      jointed = std::move(next);
      std::fill(tried.begin(), tried.end(), false);
    } else {
      count = (count + 1) / 2;
    }
    run.report({.stage = "moving bones",
                .fraction = double(attempt + 1) / tries,
                .iteration = attempt + 1,
                .error = whole_e_rms(problem, jointed),
                .vertices = problem.points.count});
  }
}

}  // namespace marrow::skeleton
