// Supports per vertex: k-largest; greedy on the vertex's own bones (`geometry`, after James & Twigg 2005); and ours,
// which searches all bones: greedy and backward starts, exchange to a local optimum, kicks out of it.
#include "reduction/fits.hpp"

#include <algorithm>
#include <span>

#include "core/parallel.hpp"
#include "lbs/dispatch.hpp"
#include "lbs/points.hpp"
#include "lbs/pose_problem.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/to_rig.hpp"
#include "reduction/vertex_search.hpp"

namespace marrow::reduction {
namespace {

/// Buffers of a thread for one vertex at a time.
struct Desk {
  VertexSearch search;
  std::vector<double> singles;  ///< [bone][lane]: error of each bone alone
  std::vector<std::uint32_t> order;
  VertexFit fit, best;
  std::size_t lane = 0;

  Desk(const kernels::WeightProblem& tables, std::size_t influences)
      : search(tables, influences), singles(tables.bones * lbs::lanes) {
    order.reserve(tables.bones);
    fit.reserve(search.most() + 1);
    best.reserve(search.most() + 1);
  }
  double single(std::uint32_t j) const { return singles[j * lbs::lanes + lane]; }
};

/// Calls body(desk, i) for every vertex, after search.start().
template <class Body>
void for_each_vertex(const lbs::PoseProblem& problem, std::size_t influences, const Run& run, const Body& body) {
  const kernels::WeightProblem& tables = problem.tables.problem();
  const lbs::Points& points = problem.points;
  parallel_for(run, "finding weights", points.blocks(), 4, [&](std::size_t begin, std::size_t end) {
    Desk desk(tables, influences);
    for (std::size_t b = begin; b < end; ++b) {
      const double *rest = points.rest.data() + b * 3 * lbs::lanes, *squared = points.squared.data() + b * lbs::lanes;
      kernels::weight_kernels().single_errors(tables, points.block_coordinates(b), rest, squared, desk.singles.data());
      for (std::size_t lane = 0; lane < lbs::lanes && b * lbs::lanes + lane < points.count; ++lane) {
        desk.lane = lane;
        desk.search.start(rest + lane, desk.singles.data() + lane, squared[lane]);
        body(desk, b * lbs::lanes + lane);
      }
    }
  });
}

/// The `count` largest weights of a vertex, normalised.
void take_largest(const Weights& weights, std::size_t i, std::size_t count, std::vector<std::uint32_t>& order,
                  VertexFit& fit) {
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return weights.values[a] != weights.values[b] ? weights.values[a] > weights.values[b] : a < b;
  };
  order.clear();
  for (std::uint32_t e = weights.offsets[i]; e < weights.offsets[i + 1]; ++e) order.push_back(e);
  const std::size_t taken = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(taken), order.end(), before);
  fit.clear();
  double sum = 0;
  for (std::size_t a = 0; a < taken; ++a) {
    fit.push(weights.bones[order[a]], weights.values[order[a]]);
    sum += weights.values[order[a]];
  }
  for (double& w : fit.weights) w /= sum;
}

/// Greedy over the vertex's own bones: the best single one, then the one with the largest gain, up to `count`.
void grow_own(const Weights& weights, std::size_t i, std::size_t count, Desk& desk, VertexFit& fit) {
  const auto own = weights.row_bones(i);
  fit.clear();
  fit.push(*std::ranges::min_element(own, {}, [&](std::uint32_t j) { return desk.single(j); }), 1);
  desk.search.allow_only(own);
  desk.search.solve(fit);
  desk.search.grow(fit, count);
  desk.search.allow_all();
}

void store(const VertexFit& fit, std::size_t i, lbs::SlotWeights& weights) {
  std::ranges::copy(fit.bones, weights.bones.begin() + std::ptrdiff_t(i * weights.influences));
  std::ranges::copy(fit.weights, weights.values.begin() + std::ptrdiff_t(i * weights.influences));
  weights.used[i] = std::uint32_t(fit.bones.size());
  weights.errors[i] = fit.error;
}

lbs::SlotWeights empty_slots(std::size_t vertices, std::size_t influences) {
  lbs::SlotWeights slots;
  slots.resize((vertices + lbs::lanes - 1) / lbs::lanes, influences);
  return slots;
}

/// The best result of exchange() over several starts.
void search_vertex(const Weights& weights, std::size_t i, std::size_t influences, Desk& desk) {
  VertexSearch& search = desk.search;
  VertexFit &fit = desk.fit, &best = desk.best;
  const auto consider = [&](bool first) {
    if (!first && std::ranges::is_permutation(fit.bones, best.bones)) return;
    search.exchange(fit);
    if (first || fit.error < best.error) std::swap(fit, best);
  };
  // Supports of the other methods: k-largest (also of smooth), geometry (also of poisson).
  take_largest(weights, i, influences, desk.order, fit);
  search.solve(fit);
  consider(true);
  grow_own(weights, i, influences, desk, fit);
  consider(false);
  // Forward from the best single bone to search.most(), then backward; and backward from the largest weights.
  std::uint32_t nearest = 0;
  for (std::uint32_t j = 1; j < desk.singles.size() / lbs::lanes; ++j) {
    if (desk.single(j) < desk.single(nearest)) nearest = j;
  }
  fit.clear();
  fit.push(nearest, 1);
  search.solve(fit);
  search.grow(fit, search.most());
  search.shrink(fit, influences);
  consider(false);
  take_largest(weights, i, search.most(), desk.order, fit);
  search.shrink(fit, influences);
  consider(false);
  search.kick(best);
}

}  // namespace

lbs::SlotWeights k_largest(const Weights& weights, std::size_t influences) {
  lbs::SlotWeights slots = empty_slots(weights.vertices(), influences);
  std::vector<std::uint32_t> order;
  VertexFit fit;
  for (std::size_t i = 0; i < weights.vertices(); ++i) {
    take_largest(weights, i, influences, order, fit);
    store(fit, i, slots);
  }
  return slots;
}

lbs::SlotWeights fit_geometry(const lbs::PoseProblem& problem, const Weights& weights, std::size_t influences,
                              const Run& run) {
  lbs::SlotWeights slots = empty_slots(weights.vertices(), influences);
  for_each_vertex(problem, influences, run, [&](Desk& desk, std::size_t i) {
    grow_own(weights, i, influences, desk, desk.fit);
    store(desk.fit, i, slots);
  });
  return slots;
}

lbs::SlotWeights fit_best(const lbs::PoseProblem& problem, const Weights& weights, std::size_t influences, bool exact,
                          const Run& run) {
  lbs::SlotWeights slots = empty_slots(weights.vertices(), influences);
  for_each_vertex(problem, influences, run, [&](Desk& desk, std::size_t i) {
    if (exact && weights.row_bones(i).size() <= influences) {
      take_largest(weights, i, influences, desk.order, desk.best);
    } else {
      search_vertex(weights, i, influences, desk);
    }
    store(desk.best, i, slots);
  });
  return slots;
}

Weights rounded_weights(lbs::SlotWeights slots, std::size_t vertices) {
  // Half the resolution of floats between 0.5 and 1.
  constexpr double least = 3e-8;
  lbs::drop_small(vertices, least, slots);
  return lbs::to_weights(slots, vertices);
}

}  // namespace marrow::reduction
