#pragma once

#include <cstdint>
#include <vector>

#include "ddm/cholesky.hpp"
#include "ddm/surface.hpp"

namespace marrow::ddm {

/// One implicit smoothing step x = (M + L)^-1 M b with a diagonal M > 0 and the Laplacian L; factorised once. M + L is
/// an M-matrix and its rows sum to M: constants are kept, and weights stay in [0, 1].
class Smoother {
 public:
  /// `mass`: the diagonal of M, one per point.
  Smoother(const WeldedSurface& surface, const SparseMatrix& laplacian, const Eigen::VectorXd& mass);

  /// Applies one step to every column of `values` (points x any number).
  void step(Eigen::MatrixXd& values) const;

  std::size_t points() const { return std::size_t(mass_.size()); }

 private:
  template <int width>
  friend class LocalSmoother;

  SparseCholesky factor_;
  Eigen::VectorXd mass_;  ///< by point
  Eigen::VectorXd ones_;  ///< per point: a smoothed constant 1, with rounding errors; results are divided by it
};

/// Smooths `width` values per point that are zero nearly everywhere, and solves only where they are not.
///
/// The last value is a weight >= 0 that bounds the others up to a factor. In the elimination tree, a right-hand side
/// reaches only ancestors of its points. If no ancestor next to a subtree has a weight of `least`, the maximum
/// principle bounds all weights in the subtree: it is skipped. One per thread.
template <int width>
class LocalSmoother {
 public:
  using Values = Eigen::Array<double, width, 1>;

  LocalSmoother(const Smoother& smoother, double least);

  void clear();
  void add(std::uint32_t point, const Values& values);
  void step();

  /// Points whose weight is at least `least`, in a deterministic order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const int c : active_) visit(std::uint32_t(smoother_.factor_.point(c)), at(c));
  }

 private:
  const Values& at(int place) const { return values_[std::size_t(place)]; }
  Values& at(int place) { return values_[std::size_t(place)]; }
  void mark_ancestors();
  void solve_down();
  bool reaches(int block) const;

  const Smoother& smoother_;
  double least_;
  std::vector<Values> values_;  ///< per place; zero where not active
  std::vector<int> active_;     ///< places
  std::vector<int> touched_,
      order_;  ///< blocks of one step: of active places and their ancestors; all that were solved
  std::vector<bool> is_touched_;
  std::vector<int> stack_;
};

}  // namespace marrow::ddm
