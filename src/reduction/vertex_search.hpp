#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lbs/kernels/weights.hpp"
#include "lbs/simplex_qp.hpp"

namespace marrow::reduction {

/// A support, its weights and the squared error over all poses.
struct VertexFit {
  std::vector<std::uint32_t> bones;
  std::vector<double> weights;
  double error = 0;

  void reserve(std::size_t most) {
    bones.reserve(most);
    weights.reserve(most);
  }
  void push(std::uint32_t bone, double weight) {
    bones.push_back(bone);
    weights.push_back(weight);
  }
  void clear() {
    bones.clear();
    weights.clear();
    error = 0;
  }
};

/// Search of the best few bones of one vertex at a time. For weights with sum 1 the squared error over all poses is w^T
/// D w, D_jk = sum_t (M_j u - v) . (M_k u - v). Rows of D are computed on demand.
class VertexSearch {
 public:
  VertexSearch(const kernels::WeightProblem& tables, std::size_t influences);

  /// `rest`, `singles`: stride `lanes`. `singles`: squared error of each bone alone, D_jj. `squared`: sum_t |v|^2.
  void start(const double* rest, const double* singles, double squared);

  /// Restricts the bones that may be added, until the next start().
  void allow_only(std::span<const std::uint32_t> bones);
  void allow_all();

  /// Optimal weights on the support, starting from the given ones; never worse. Drops bones of weight 0.
  void solve(VertexFit& fit);
  /// Adds the bone with the largest gain, one at a time, while the error falls.
  void grow(VertexFit& fit, std::size_t most);
  /// Drops the bone with the lowest removal cost, one at a time.
  void shrink(VertexFit& fit, std::size_t most);
  /// Adds one bone or replaces one by another while any such step lowers the error. The result is optimal under single
  /// exchanges.
  void exchange(VertexFit& fit);
  /// Escapes local optima of exchange(): bans each bone in turn, exchanges without it, then again with it.
  void kick(VertexFit& fit);

  /// Most bones in a VertexFit.
  std::size_t most() const { return most_; }

 private:
  const double* row(std::uint32_t j);
  double entry(std::uint32_t j, std::uint32_t l);
  void slopes(const VertexFit& fit);
  void fill(std::span<const std::uint32_t> bones);
  void list_steps(const VertexFit& fit);
  void list_steps_without(const VertexFit& fit, std::size_t left_out);
  void take(const VertexFit& fit, std::size_t left_out);

  /// A candidate step: a bone to add and one to drop.
  struct Step {
    double bound;          ///< lower bound of the error after the step
    std::size_t left_out;  ///< entry of the fit; its size: drop none
    std::uint32_t bone;
  };

  const kernels::WeightProblem& tables_;
  std::size_t influences_, most_;
  lbs::SimplexQp qp_;
  double m_[10] = {};
  double squared_ = 0;
  std::vector<double> single_, linear_;  ///< D_jj; sum_t M_j u . v
  std::vector<double> rows_;             ///< sum_t M_j u . M_k u, bone by bone
  std::vector<std::uint32_t> row_age_;   ///< vertex (age) for which the row was computed
  std::uint32_t age_ = 0;
  std::vector<double> slope_, gain_;
  std::vector<char> allowed_;
  std::vector<std::uint32_t> order_;  ///< bones with a descent direction
  std::vector<double> columns_, diagonals_, bounds_;
  std::vector<Step> steps_;
  VertexFit trial_, best_, kicked_;
};

}  // namespace marrow::reduction
