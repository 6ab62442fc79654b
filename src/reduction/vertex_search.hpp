#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lbs/kernels/weights.hpp"
#include "lbs/simplex_qp.hpp"

namespace marrow::reduction {

/// Some bones and their weights, with the squared error over all poses.
struct Fit {
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

/// The search for the best few bones of one vertex after the other. With weights that sum to 1 the squared error over
/// all poses is w^T D w, D_jk = sum_t (M_j u - v) . (M_k u - v); only the rows that are asked for are computed.
class VertexSearch {
 public:
  VertexSearch(const kernels::WeightProblem& tables, std::size_t influences);

  /// `rest` and `singles` have lanes from one coordinate or bone to the next. `singles`: the squared error of each bone
  /// alone, D_jj. `squared`: sum_t |v|^2.
  void start(const double* rest, const double* singles, double squared);

  /// From now on, only these bones may come in, until the next start().
  void allow_only(std::span<const std::uint32_t> bones);
  void allow_all();

  /// Best weights on the given bones, from those given; never worse than they are. Bones without any are taken out.
  void solve(Fit& fit);
  /// Adds the bone that promises most, one at a time, while that lowers the error.
  void grow(Fit& fit, std::size_t most);
  /// Takes the least needed bone out, one at a time.
  void shrink(Fit& fit, std::size_t most);
  /// Adds one bone, or replaces one by another, as long as any such step lowers the error: no single exchange is left
  /// that does.
  void exchange(Fit& fit);
  /// Does without each bone in turn, fills its place as well as can be, and exchanges again: out of most dead ends of
  /// exchange().
  void kick(Fit& fit);

  /// The most bones that a Fit may have here.
  std::size_t most() const { return most_; }

 private:
  const double* row(std::uint32_t j);
  double entry(std::uint32_t j, std::uint32_t k);
  void slopes(const Fit& fit);
  void fill(std::span<const std::uint32_t> bones);
  void list_steps(const Fit& fit);
  void list_steps_without(const Fit& fit, std::size_t left_out);
  void take(const Fit& fit, std::size_t left_out);

  /// A bone to bring in, and one to leave out for it.
  struct Step {
    double bound;          ///< of the error after it
    std::size_t left_out;  ///< entry of the fit; its size: none
    std::uint32_t bone;
  };

  const kernels::WeightProblem& tables_;
  std::size_t influences_, most_;
  lbs::SimplexQp qp_;
  double m_[10] = {};
  double squared_ = 0;
  std::vector<double> single_, linear_;  ///< D_jj; sum_t M_j u . v
  std::vector<double> rows_;             ///< sum_t M_j u . M_k u, bone by bone
  std::vector<std::uint32_t> row_age_;   ///< vertex for which a row was computed
  std::uint32_t age_ = 0;
  std::vector<double> slope_, gain_;
  std::vector<char> allowed_;
  std::vector<std::uint32_t> order_;  ///< bones towards which the error falls
  std::vector<double> columns_, diagonals_, bounds_;
  std::vector<Step> steps_;
  Fit trial_, best_, kicked_;
};

}  // namespace marrow::reduction
