#pragma once

#include <Eigen/Core>
#include <vector>

#include "lbs/simplex_qp.hpp"

namespace marrow::ddm_compression {

/// min a^T Q a - 2 b^T a over a >= 0 with sum 1, then with few of them. Keeps its room between calls.
class FewWeights {
  lbs::SimplexQp program_;

 public:
  explicit FewWeights(std::size_t candidates);

  Eigen::Map<Eigen::MatrixXd> quadratic;
  Eigen::Map<Eigen::VectorXd> linear;

  /// The best weights of the first `count` candidates; then some go while there are more than `most`, or while the cost
  /// rises by at most `price` for one: each time that without which the others do best. Returns the cost.
  double solve(std::size_t count, std::size_t most, double price);

  /// 0 for candidates that are not used.
  const std::vector<double>& weights() const { return weights_; }
  std::size_t used() const;

 private:
  double best_without_one(std::size_t count);

  std::vector<double> weights_, trial_, kept_;
};

}  // namespace marrow::ddm_compression
