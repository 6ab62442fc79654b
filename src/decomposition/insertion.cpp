// Le & Deng 2012 (SSDR), Section 3.3.1: re-initialises an insignificant bone from 20 vertices around the largest error.
// Differs: every bone proposes its worst place, and a small local solve gives the gain of a new bone there.
#include "decomposition/insertion.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "decomposition/initialise.hpp"
#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/transforms.hpp"
#include "lbs/weight_solve.hpp"

namespace marrow::decomposition {
namespace {

constexpr int trial_rounds = 3;
/// Smallest weight of a bone for which a vertex counts as part of it.
constexpr double membership = 0.3;

/// A local problem: a few vertices and the bones they follow. The last bone is the new one.
struct Region {
  lbs::Points points;
  lbs::SlotWeights weights;
  lbs::Bones bones;
  double cost = 0;
};

/// Cost of vertex i: squared error plus, with noise, a price per influence. A bone that is missing under noise shows in
/// vertices that follow too many others.
double cost_of(const lbs::Problem& problem, const lbs::SlotWeights& w, std::size_t i) {
  return w.errors[i] + problem.space.per_influence() * w.used[i];
}

Region cut_out(const lbs::Problem& problem, const lbs::State& state, const std::vector<std::uint32_t>& members) {
  const lbs::Points& all = problem.points;
  const lbs::SlotWeights& w = state.weights;
  Region region;
  region.points.count = members.size();
  region.points.rank = all.rank;
  const std::size_t blocks = region.points.blocks(), rank = all.rank;
  region.points.coordinates.resize(blocks * rank * lbs::lanes);
  region.points.rest.resize(blocks * 3 * lbs::lanes);
  region.points.squared.resize(blocks * lbs::lanes);
  region.weights.resize(blocks, w.influences);
  std::vector<std::uint32_t> local(lbs::bone_count(state.bones), 0), bones;
  for (std::size_t s = 0; s < blocks * lbs::lanes; ++s) {
    const std::size_t i = members[std::min(s, members.size() - 1)];
    const double* c = all.block_coordinates(i / lbs::lanes) + i % lbs::lanes;
    double* to = region.points.coordinates.data() + s / lbs::lanes * rank * lbs::lanes + s % lbs::lanes;
    for (std::size_t q = 0; q < rank; ++q) to[q * lbs::lanes] = c[q * lbs::lanes];
    const Eigen::Vector3d p = lbs::rest_of(state.rest, i);
    for (int r = 0; r < 3; ++r)
      region.points.rest[s / lbs::lanes * 3 * lbs::lanes + std::size_t(r) * lbs::lanes + s % lbs::lanes] = p[r];
    region.points.squared[s] = all.squared[i];
    region.weights.used[s] = w.used[i];
    if (s < members.size()) region.cost += cost_of(problem, w, i);
    for (std::size_t a = 0; a < w.used[i]; ++a) {
      const std::uint32_t bone = w.bones[i * w.influences + a];
      if (local[bone] == 0) {
        bones.push_back(bone);
        local[bone] = std::uint32_t(bones.size());
      }
      region.weights.bones[s * w.influences + a] = local[bone] - 1;
      region.weights.values[s * w.influences + a] = w.values[i * w.influences + a];
    }
  }
  region.bones.resize(state.bones.rows(), Eigen::Index(4 * (bones.size() + 1)));
  for (std::size_t e = 0; e < bones.size(); ++e) {
    region.bones.middleCols<4>(Eigen::Index(4 * e)) = state.bones.middleCols<4>(4 * Eigen::Index(bones[e]));
  }
  return region;
}

}  // namespace

Insertion propose_bone(const lbs::Problem& problem, const lbs::State& state, std::size_t seed) {
  const Run here{.threads = 1};
  const std::size_t count = lbs::bone_count(state.bones);
  const std::size_t size = std::max<std::size_t>(12, problem.points.count / (4 * count));
  Region region = cut_out(problem, state, patch(problem.points, problem.neighbours, seed, 8 * size));
  const std::size_t last = lbs::bone_count(region.bones) - 1;
  fit_patch(problem.space, problem.points, problem.neighbours, seed, size, region.bones.rightCols<4>());
  double cost = region.cost;
  for (int round = 0; round < trial_rounds; ++round) {
    lbs::solve_weights({problem.space, region.points, region.points.rest, region.bones}, {}, lbs::Choice::all_bones,
                       region.weights, here);
    cost = 0;
    for (std::size_t i = 0; i < region.points.count; ++i) cost += cost_of(problem, region.weights, i);
    if (round + 1 == trial_rounds) break;
    const lbs::Normal normal =
        lbs::accumulate(problem.space, region.points, region.points.rest, region.weights, last + 1, here);
    lbs::solve_transforms(problem.model, state.axes, normal, region.bones, here, last);
  }
  return {region.bones.rightCols<4>(), region.cost - cost, seed};
}

std::vector<std::uint32_t> worst_places(const lbs::Problem& problem, const lbs::State& state,
                                        const std::vector<bool>& tried) {
  const lbs::SlotWeights& w = state.weights;
  constexpr std::uint32_t none = 0xFFFFFFFF;
  std::vector<std::uint32_t> worst(lbs::bone_count(state.bones), none);
  std::vector<double> most(worst.size(), -1);
  for (std::uint32_t i = 0; i < problem.points.count; ++i) {
    if (tried[i]) continue;
    double sum = cost_of(problem, w, i), members = 1;
    for (const std::uint32_t u : problem.neighbours.of(i)) {
      sum += cost_of(problem, w, u);
      ++members;
    }
    for (std::size_t a = 0; a < w.used[i]; ++a) {
      const std::uint32_t j = w.bones[i * w.influences + a];
      if (w.values[i * w.influences + a] < membership || sum / members <= most[j]) continue;
      most[j] = sum / members;
      worst[j] = i;
    }
  }
  std::erase(worst, none);
  std::ranges::sort(worst);
  worst.erase(std::unique(worst.begin(), worst.end()), worst.end());
  return worst;
}

std::vector<Insertion> propose_bones(const lbs::Problem& problem, const lbs::State& state,
                                     const std::vector<std::uint32_t>& places, const Run& run) {
  std::vector<Insertion> proposals(places.size());
  parallel_for(run, places.size(), 1,
               [&](std::size_t e, std::size_t) { proposals[e] = propose_bone(problem, state, places[e]); });
  std::ranges::stable_sort(proposals, std::ranges::greater(), &Insertion::gain);
  return proposals;
}

void insert_bones(lbs::State& state, std::span<const Insertion* const> insertions) {
  const Eigen::Index before = state.bones.cols();
  state.bones.conservativeResize(Eigen::NoChange, before + 4 * Eigen::Index(insertions.size()));
  for (std::size_t e = 0; e < insertions.size(); ++e) {
    state.bones.middleCols<4>(before + 4 * Eigen::Index(e)) = insertions[e]->bone;
  }
  state.reset();
}

}  // namespace marrow::decomposition
