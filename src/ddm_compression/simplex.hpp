#pragma once

#include <Eigen/Core>
#include <vector>

namespace marrow::ddm_compression {

/// Influences that are looked at together.
constexpr int most_support = 20;
using SupportVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, most_support, 1>;

/// min a^T Q a - 2 b^T a over a >= 0 with sum 1, by an active set; then influences are taken away while there are more
/// than `most`, or while the cost rises by at most `price` for one. Keeps its room between calls.
class Simplex {
 public:
  explicit Simplex(int candidates) : quadratic(candidates, candidates), linear(candidates), gradient_(candidates) {}

  Eigen::MatrixXd quadratic;
  Eigen::VectorXd linear;

  /// Which of the first `count` candidates are used, with what weights; the cost without its constant.
  double solve(int count, std::size_t most, double price);

  const std::vector<int>& used() const { return used_; }
  const SupportVector& weights() const { return weights_; }

 private:
  double solve_on(const std::vector<int>& support, SupportVector& weights);
  double cost(const std::vector<int>& support, const SupportVector& weights) const;
  double descend(std::vector<int>& support, SupportVector& weights);
  void thin_out(std::size_t most, double price, double& value);

  std::vector<int> used_, trial_, kept_;
  Eigen::VectorXd gradient_;
  SupportVector weights_, best_, trial_weights_;
};

}  // namespace marrow::ddm_compression
