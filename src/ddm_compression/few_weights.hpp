#pragma once

#include <Eigen/Core>
#include <vector>

#include "lbs/simplex_qp.hpp"

namespace marrow::ddm_compression {

/// Minimises a^T Q a - 2 b^T a over a >= 0 with sum 1, then with few nonzero entries. Reuses its buffers between calls.
class FewWeights {
  lbs::SimplexQp program_;

 public:
  explicit FewWeights(std::size_t candidates);

  Eigen::Map<Eigen::MatrixXd> quadratic;
  Eigen::Map<Eigen::VectorXd> linear;

  /// Solves for the first `count` candidates. Then removes weights one by one while more than `most` are used or while
  /// the cost rises by at most `price` per weight; each time the one whose removal costs least. Returns the cost.
  double solve(std::size_t count, std::size_t most, double price);

  /// Zero for unused candidates.
  const std::vector<double>& weights() const { return weights_; }
  std::size_t used() const;

 private:
  double best_without_one(std::size_t count);

  std::vector<double> weights_, trial_, kept_;
};

}  // namespace marrow::ddm_compression
