#include "ddm_compression/simplex.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>

namespace marrow::ddm_compression {
namespace {

constexpr double ridge = 1e-9;

using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, most_support, most_support>;

}  // namespace

/// Q a - b = lambda 1 and sum a = 1 on the support.
double Simplex::solve_on(const std::vector<int>& support, SupportVector& weights) {
  const auto size = static_cast<Eigen::Index>(support.size());
  Small q(size, size);
  SupportVector b(size);
  for (Eigen::Index r = 0; r < size; ++r) {
    b[r] = linear[support[static_cast<std::size_t>(r)]];
    for (Eigen::Index c = 0; c < size; ++c) {
      q(r, c) = quadratic(support[static_cast<std::size_t>(r)], support[static_cast<std::size_t>(c)]);
    }
  }
  q.diagonal().array() += ridge * q.diagonal().mean() + std::numeric_limits<double>::min();
  const Eigen::LLT<Small> llt(q);
  const SupportVector ones = llt.solve(SupportVector::Ones(size)), along = llt.solve(b);
  weights = along + (1 - along.sum()) / ones.sum() * ones;
  return cost(support, weights);
}

double Simplex::cost(const std::vector<int>& support, const SupportVector& weights) const {
  double sum = 0;
  for (std::size_t r = 0; r < support.size(); ++r) {
    double row = -2 * linear[support[r]];
    for (std::size_t c = 0; c < support.size(); ++c) {
      row += weights[static_cast<Eigen::Index>(c)] * quadratic(support[r], support[c]);
    }
    sum += weights[static_cast<Eigen::Index>(r)] * row;
  }
  return sum;
}

/// From feasible weights on a support to the minimum on a part of it: goes towards the minimum until a weight is 0.
double Simplex::descend(std::vector<int>& support, SupportVector& weights) {
  while (true) {
    const double value = solve_on(support, best_);
    double step = 1;
    std::size_t out = support.size();
    for (std::size_t r = 0; r < support.size(); ++r) {
      const auto k = static_cast<Eigen::Index>(r);
      if (best_[k] > 0) continue;
      const double share = weights[k] > best_[k] ? weights[k] / (weights[k] - best_[k]) : 0;
      if (share < step || out == support.size()) {
        step = std::min(step, share);
        out = r;
      }
    }
    if (out == support.size()) {
      weights = best_;
      return value;
    }
    weights += step * (best_ - weights);
    support.erase(support.begin() + static_cast<std::ptrdiff_t>(out));
    for (auto k = static_cast<Eigen::Index>(out); k < weights.size() - 1; ++k) weights[k] = weights[k + 1];
    weights.conservativeResize(weights.size() - 1);
    weights = weights.cwiseMax(0);
    weights /= weights.sum();
  }
}

void Simplex::thin_out(std::size_t most, double price, double& value) {
  while (used_.size() > 1) {
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < used_.size(); ++r) {
      std::vector<int>& trial = trial_;
      trial = used_;
      trial.erase(trial.begin() + static_cast<std::ptrdiff_t>(r));
      SupportVector start(static_cast<Eigen::Index>(trial.size()));
      for (std::size_t k = 0, to = 0; k < used_.size(); ++k) {
        if (k != r) start[static_cast<Eigen::Index>(to++)] = weights_[static_cast<Eigen::Index>(k)];
      }
      if (start.sum() > 0) {
        start /= start.sum();
      } else {
        start.setConstant(1 / static_cast<double>(trial.size()));
      }
      const double trial_value = descend(trial, start);
      if (trial_value < lowest) {
        lowest = trial_value;
        kept_ = trial;
        trial_weights_ = start;
      }
    }
    if (used_.size() <= most && lowest > value + price) return;
    used_ = kept_;
    weights_ = trial_weights_;
    value = lowest;
  }
}

double Simplex::solve(int count, std::size_t most, double price) {
  int first = 0;
  for (int k = 1; k < count; ++k) {
    if (quadratic(k, k) - 2 * linear[k] < quadratic(first, first) - 2 * linear[first]) first = k;
  }
  used_ = {first};
  weights_ = SupportVector::Ones(1);
  double value = cost(used_, weights_);
  const double scale = std::abs(quadratic(first, first)) + std::abs(linear[first]);
  for (int round = 0; round < 4 * most_support && static_cast<int>(used_.size()) < most_support; ++round) {
    gradient_.head(count) = -linear.head(count);
    for (std::size_t r = 0; r < used_.size(); ++r) {
      gradient_.head(count) += weights_[static_cast<Eigen::Index>(r)] * quadratic.col(used_[r]).head(count);
    }
    double level = 0;
    for (std::size_t r = 0; r < used_.size(); ++r)
      level += weights_[static_cast<Eigen::Index>(r)] * gradient_[used_[r]];
    for (const int k : used_) gradient_[k] = std::numeric_limits<double>::infinity();
    int entering = 0;
    const double lowest = gradient_.head(count).minCoeff(&entering);
    if (!(lowest < level - 1e-12 * scale)) break;
    trial_ = used_;
    trial_.push_back(entering);
    SupportVector start(weights_.size() + 1);
    start << weights_, 0;
    const double next = descend(trial_, start);
    if (!(next < value - 1e-12 * scale)) break;
    used_ = trial_;
    weights_ = start;
    value = next;
  }
  thin_out(most, price, value);
  return value;
}

}  // namespace marrow::ddm_compression
