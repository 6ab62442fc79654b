#include "decompose/relocate.hpp"

#include <algorithm>
#include <numeric>

#include "core/parallel.hpp"
#include "decompose/initialise.hpp"

namespace marrow::ssdr {
namespace {

/// Iterations after bones came in, and after they went out.
constexpr int settle = 4;
/// A vertex counts as part of a bone when it follows it at least this much.
constexpr double membership = 0.3;

double gram_entry(const kernels::WeightProblem& problem, const double m[10], std::size_t j, std::size_t k) {
  double sum = 0;
  for (std::size_t q = 0; q < 10; ++q) sum += m[q] * problem.gram[(j * 10 + q) * problem.stride + k];
  return sum;
}

/// What losing each of its bones would cost vertex i: w_a^2 / (D^-1)_aa with D_jk = (a_j - v) . (a_k - v), or the step
/// to the next best bone where it follows only one. `alone`: error of every bone alone, [bone][lane].
void add_costs(const kernels::WeightProblem& problem, const std::vector<double>& rest, const SlotWeights& weights,
               std::size_t i, const double* alone, std::vector<double>& costs) {
  const std::size_t count = weights.used[i];
  const std::uint32_t* bones = weights.bones.data() + i * weights.influences;
  const double* values = weights.values.data() + i * weights.influences;
  if (count == 1) {
    double next = State::unknown;
    for (std::size_t k = 0; k < problem.bones; ++k) {
      if (k != bones[0]) next = std::min(next, alone[k * lanes]);
    }
    costs[bones[0]] += next - weights.errors[i];
    return;
  }
  const Eigen::Vector3d p = rest_of(rest, i);
  const double m[10] = {p.x() * p.x(),     2 * p.x() * p.y(), 2 * p.x() * p.z(), 2 * p.x(), p.y() * p.y(),
                        2 * p.y() * p.z(), 2 * p.y(),         p.z() * p.z(),     2 * p.z(), 1};
  const auto size = static_cast<Eigen::Index>(count);
  Eigen::MatrixXd d(size, size);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t e = 0; e < count; ++e) {
      // |a_j - v|^2 is known for every bone, so D_jk follows from |a_j - a_k|^2.
      const double gap = gram_entry(problem, m, bones[a], bones[a]) + gram_entry(problem, m, bones[e], bones[e]) -
                         2 * gram_entry(problem, m, bones[a], bones[e]);
      d(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(e)) =
          0.5 * (alone[bones[a] * lanes] + alone[bones[e] * lanes] - gap);
    }
  }
  d.diagonal().array() += 1e-11 * d.trace() + 1e-300;
  const Eigen::MatrixXd inverse = d.inverse();
  for (std::size_t a = 0; a < count; ++a) {
    const auto k = static_cast<Eigen::Index>(a);
    costs[bones[a]] += values[a] * values[a] / inverse(k, k);
  }
}

/// Bones by falling share of the error.
std::vector<std::uint32_t> by_error(const Points& points, const State& state) {
  const SlotWeights& w = state.weights;
  std::vector<double> total(bone_count(state.bones), 0);
  for (std::size_t i = 0; i < points.count; ++i) {
    for (std::size_t a = 0; a < w.used[i]; ++a) {
      total[w.bones[i * w.influences + a]] += w.values[i * w.influences + a] * w.errors[i];
    }
  }
  std::vector<std::uint32_t> order(total.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return total[a] > total[b]; });
  return order;
}

/// The vertex of bone j with the largest error, averaged with its neighbours.
std::size_t worst_member(const Points& points, const Neighbours& neighbours, const SlotWeights& w, std::uint32_t j) {
  std::size_t worst = 0;
  double most = -1;
  for (std::size_t i = 0; i < points.count; ++i) {
    double share = 0;
    for (std::size_t a = 0; a < w.used[i]; ++a) {
      if (w.bones[i * w.influences + a] == j) share = w.values[i * w.influences + a];
    }
    if (share < membership) continue;
    double sum = w.errors[i], members = 1;
    for (const std::uint32_t u : neighbours.of(i)) {
      sum += w.errors[u];
      ++members;
    }
    if (sum / members > most) {
      most = sum / members;
      worst = i;
    }
  }
  return worst;
}

void remove_bone(State& state, std::size_t bone) {
  const auto last = bone_count(state.bones) - 1;
  Bones kept(state.bones.rows(), static_cast<Eigen::Index>(4 * last));
  kept << state.bones.leftCols(static_cast<Eigen::Index>(4 * bone)),
      state.bones.rightCols(static_cast<Eigen::Index>(4 * (last - bone)));
  state.bones = std::move(kept);
  state.axes.erase(state.axes.begin() + static_cast<std::ptrdiff_t>(bone));
  SlotWeights& w = state.weights;
  for (std::size_t i = 0; i < w.used.size(); ++i) {
    std::uint32_t* bones = w.bones.data() + i * w.influences;
    double* values = w.values.data() + i * w.influences;
    std::uint32_t left = 0;
    for (std::uint32_t a = 0; a < w.used[i]; ++a) {
      if (bones[a] == bone) continue;
      bones[left] = bones[a] > bone ? bones[a] - 1 : bones[a];
      values[left++] = values[a];
    }
    w.used[i] = left;
  }
  state.reset();
}

}  // namespace

std::vector<double> removal_costs(const Problem& problem, const State& state, const Run& run) {
  const Points& points = problem.points;
  const std::size_t count = bone_count(state.bones);
  const BoneTables tables(problem.space, state.bones, points.rank, state.weights.influences, run);
  constexpr std::size_t grain = 64;
  std::vector<std::vector<double>> partial((points.blocks() + grain - 1) / grain, std::vector<double>(count, 0));
  parallel_for(run, points.blocks(), grain, [&](std::size_t begin, std::size_t end) {
    std::vector<double> alone((count + 1) * lanes);
    for (std::size_t b = begin; b < end; ++b) {
      kernels::decompose_kernels().single_errors(tables.problem(), points.block_coordinates(b),
                                                 state.rest.data() + b * 3 * lanes, points.squared.data() + b * lanes,
                                                 alone.data());
      for (std::size_t i = b * lanes; i < std::min(points.count, (b + 1) * lanes); ++i) {
        add_costs(tables.problem(), state.rest, state.weights, i, alone.data() + i % lanes, partial[begin / grain]);
      }
    }
  });
  for (std::size_t s = 1; s < partial.size(); ++s) {
    for (std::size_t j = 0; j < count; ++j) partial[0][j] += partial[s][j];
  }
  return partial[0];
}

void relocate(const Problem& problem, State& state, int tries, const Run& run) {
  const Points& points = problem.points;
  const Neighbours& neighbours = problem.neighbours;
  const std::size_t count = bone_count(state.bones);
  const std::size_t patch = std::max<std::size_t>(12, points.count / (4 * count));
  std::size_t moved = std::max<std::size_t>(1, count / 4), first_place = 0;
  for (int attempt = 0; attempt < tries && first_place < count; ++attempt) {
    State next = state;
    next.bones.conservativeResize(Eigen::NoChange, static_cast<Eigen::Index>(4 * (count + moved)));
    const std::vector<std::uint32_t> places = by_error(points, state);
    for (std::size_t k = 0; k < moved; ++k) {
      const std::size_t seed =
          worst_member(points, neighbours, state.weights, places[(first_place + k) % places.size()]);
      fit_patch(problem.space, points, neighbours, seed, patch,
                next.bones.middleCols<4>(static_cast<Eigen::Index>(4 * (count + k))));
    }
    next.reset();
    descend(problem, next, settle, run);
    for (std::size_t k = 0; k < moved; ++k) {
      const std::vector<double> costs = removal_costs(problem, next, run);
      remove_bone(next, static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin()));
      descend(problem, next, k + 1 < moved ? 1 : settle, run);
    }
    if (next.error < state.error * (1 - 1e-4)) {
      state = std::move(next);
      first_place = 0;
    } else if (moved > 1) {
      moved = (moved + 1) / 2;
    } else {
      ++first_place;
    }
    run.report({.stage = "moving bones",
                .fraction = static_cast<double>(attempt + 1) / tries,
                .iteration = attempt + 1,
                .error = e_rms(state.error, points.count, problem.space.frames)});
  }
}

}  // namespace marrow::ssdr
