#pragma once

#include <vector>

#include "lbs/bones.hpp"
#include "lbs/kernels/weights.hpp"
#include "lbs/space.hpp"

namespace marrow::lbs {

/// Sums over frames that the weight kernels use.
class BoneTables {
 public:
  BoneTables(const Space& space, const Bones& bones, std::size_t rank, std::size_t influences, const Run& run);
  const kernels::WeightProblem& problem() const { return problem_; }
  /// Entry q of ten of the symmetric part of sum_t M_j^T M_k.
  double gram(std::size_t j, std::size_t q, std::size_t l) const { return gram_[(j * 10 + q) * problem_.stride + l]; }
  /// Column q of M_j^T Q.
  Eigen::Map<const Eigen::Vector4d> projection(std::size_t j, std::size_t q) const {
    return Eigen::Map<const Eigen::Vector4d>(projection_.data() + ((j / 2) * problem_.rank + q) * 8 + (j % 2) * 4);
  }

 private:
  std::vector<double> gram_, diagonal_, projection_;
  kernels::WeightProblem problem_{};
};

}  // namespace marrow::lbs
