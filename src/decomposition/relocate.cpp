// Le & Deng 2012 (SSDR), Section 3.3.1: re-initialises bones with little weight at the largest error. Differs: inserts
// where the gain is largest, removes bones that cost least, and keeps the result only if the error falls.
#include "decomposition/relocate.hpp"

#include <algorithm>
#include <numeric>

#include "decomposition/insertion.hpp"
#include "decomposition/removal.hpp"
#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"

namespace marrow::decomposition {
namespace {

/// Iterations after insertions, and after the last removal.
constexpr int settle = 4;
/// Smallest relative decrease of the squared error that counts: less is due to the iterations alone.
constexpr double worth_it = 0.01;
/// Exchanges of single bones without success before trying many again.
constexpr int patience = 6;

/// Indices of the `count` bones with the lowest costs, descending.
std::vector<std::size_t> cheapest(const std::vector<double>& costs, std::size_t count) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
  order.resize(count);
  std::ranges::sort(order, std::ranges::greater());
  return order;
}

/// The bone with the least sum of squared weights.
std::size_t weakest(const lbs::Problem& problem, const lbs::State& state) {
  const lbs::SlotWeights& w = state.weights;
  std::vector<double> sum(lbs::bone_count(state.bones), 0);
  for (std::size_t i = 0; i < problem.points.count; ++i) {
    for (std::size_t a = i * w.influences; a < i * w.influences + w.used[i]; ++a) {
      sum[w.bones[a]] += w.values[a] * w.values[a];
    }
  }
  return std::size_t(std::ranges::min_element(sum) - sum.begin());
}

/// Removes the bone with the least weight first, then inserts one (SSDR, Section 3.3.1). Exchanging after an insertion
/// cannot do that: a far bone that bends everything a little by weights of a few percent is costly to remove, and
/// prevents the right one.
lbs::State renew_weakest(const lbs::Problem& problem, const lbs::State& state, const Run& run) {
  lbs::State next = state;
  remove_bone(next, weakest(problem, state));
  lbs::descend(problem, next, settle, run);
  const std::vector<bool> tried(problem.points.count);
  const std::vector<Insertion> proposals = propose_bones(problem, next, worst_places(problem, next, tried), run);
  if (proposals.empty()) return state;
  const Insertion* best = &proposals.front();
  insert_bones(next, {&best, 1});
  lbs::descend(problem, next, 2 * settle, run);
  return next;
}

lbs::State exchange(const lbs::Problem& problem, const lbs::State& state, std::span<const Insertion* const> insertions,
                    bool patient, const Run& run) {
  lbs::State next = state;
  insert_bones(next, insertions);
  lbs::descend(problem, next, settle, run);
  for (std::size_t left = insertions.size(); left > 0;) {
    const std::vector<double> costs = removal_costs(problem, next, run);
    const std::size_t now = patient ? 1 : (left + 2) / 3;
    for (const std::size_t bone : cheapest(costs, now)) remove_bone(next, bone);
    left -= now;
    lbs::descend(problem, next, left > 0 ? 1 : settle, run);
  }
  return next;
}

}  // namespace

void relocate(const lbs::Problem& problem, lbs::State& state, int tries, bool patient, const Run& run) {
  const std::size_t bones = lbs::bone_count(state.bones);
  if (bones < 2 || tries == 0) return;
  lbs::descend(problem, state, 2, run);
  std::vector<bool> tried(problem.points.count);
  // Exchange many bones while that helps, then halve down to one; start again with many if single ones do not help.
  const std::size_t many = std::max<std::size_t>(1, bones / 4);
  std::size_t count = many;
  int in_vain = 0;
  for (int attempt = 0; attempt < tries; ++attempt) {
    if (patient && count == 1) {
      lbs::State renewed = renew_weakest(problem, state, run);
      if (renewed.error < state.error) state = std::move(renewed);
    }
    const std::vector<Insertion> proposals = propose_bones(problem, state, worst_places(problem, state, tried), run);
    if (proposals.empty()) return;
    std::vector<const Insertion*> chosen;
    for (std::size_t e = 0; e < std::min(count, proposals.size()); ++e) {
      chosen.push_back(&proposals[e]);
      tried[proposals[e].seed] = true;
    }
    lbs::State next = exchange(problem, state, chosen, patient, run);
    const double left = next.error / state.error;
    if (left < 1) state = std::move(next);
    if (left < 1 - worth_it) {
      std::fill(tried.begin(), tried.end(), false);
      in_vain = 0;
    } else if (count > 1) {
      count = (count + 1) / 2;
    } else if (++in_vain == patience) {
      count = many;
      in_vain = 0;
    }
    run.report(lbs::progress_of("moving bones", attempt + 1, tries, problem, state));
  }
}

}  // namespace marrow::decomposition
