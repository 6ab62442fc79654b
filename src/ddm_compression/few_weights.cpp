// Le et al. 2021, Section 4.2: weights of one point by least squares with a >= 0 and sum 1.
// Sparsity (ours): backward elimination; each step solves the others again and removes the cheapest, down to a price.
#include "ddm_compression/few_weights.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace marrow::ddm_compression {

/// Splits a point's weight between nearly equal virtual bones, so that the next update moves both.
constexpr lbs::SimplexQp::Ridge ridge = {.of_sum = 0, .of_mean = 1e-9};

FewWeights::FewWeights(std::size_t candidates)
    : program_(candidates, ridge),
      quadratic(program_.matrix(), Eigen::Index(candidates), Eigen::Index(candidates)),
      linear(program_.linear(), Eigen::Index(candidates)),
      weights_(candidates) {}

std::size_t FewWeights::used() const {
  return std::size_t(std::ranges::count_if(weights_, [](double w) { return w > 0; }));
}

/// Removes each used weight in turn and solves for the others. Stores the best in kept_; returns its cost.
double FewWeights::best_without_one(std::size_t count) {
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t out = 0; out < count; ++out) {
    if (!(weights_[out] > 0)) continue;
    trial_ = weights_;
    trial_[out] = 0;
    const double rest = std::accumulate(trial_.begin(), trial_.end(), 0.0);
    for (double& w : trial_) w /= rest;
    const double cost = program_.solve_on_support(count, trial_.data());
    if (!(cost < lowest)) continue;
    lowest = cost;
    kept_.swap(trial_);
  }
  return lowest;
}

double FewWeights::solve(std::size_t count, std::size_t most, double price) {
  const auto alone = [&](std::size_t k) {
    const auto at = Eigen::Index(k);
    return quadratic(at, at) - 2 * linear[at];
  };
  std::size_t first = 0;
  for (std::size_t k = 1; k < count; ++k) {
    if (alone(k) < alone(first)) first = k;
  }
  std::ranges::fill(weights_, 0.0);
  weights_[first] = 1;
  double cost = program_.solve(count, weights_.data());
  while (used() > 1) {
    const double without = best_without_one(count);
    if (used() <= most && without > cost + price) break;
    weights_.swap(kept_);
    cost = without;
  }
  return cost;
}

}  // namespace marrow::ddm_compression
