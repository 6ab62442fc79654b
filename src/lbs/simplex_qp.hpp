#pragma once

#include <cstddef>
#include <vector>

namespace marrow::lbs {

/// Minimises w^T D w - 2 b^T w over w >= 0 with sum 1, for small symmetric D >= 0, by an active set: exact up to
/// rounding. Keeps its room between calls.
class SimplexQp {
 public:
  /// Is added to the diagonal, as D may be singular; in parts of the sum and of the mean of the diagonal.
  struct Ridge {
    double of_sum = 1e-12, of_mean = 0;
  };
  /// For up to `most` unknowns.
  explicit SimplexQp(std::size_t most, Ridge ridge);
  explicit SimplexQp(std::size_t most) : SimplexQp(most, Ridge()) {}

  /// D, row by row with this many from one row to the next; only the leading `count` are looked at.
  double* matrix() { return d_.data(); }
  std::size_t stride() const { return most_; }
  /// b; 0 at first.
  double* linear() { return b_.data(); }

  /// From feasible weights; the result is never worse than they are. Returns the value.
  double solve(std::size_t count, double* w) { return search(count, w, true); }
  /// The same among the weights that are positive at the start: zeros stay.
  double solve_on_support(std::size_t count, double* w) { return search(count, w, false); }

  /// After solve() without b, counted among the positive weights: the one whose loss costs least when the others are
  /// best again, whatever their sign: w_a^2 / (D^-1)_aa, up to the share of the sum.
  std::size_t least_needed();

  /// For bounds without b: takes the leading `count` of D, none at all if need be.
  void prepare(std::size_t count);
  /// What the minimum over those and one more unknown is at least, whatever the signs, for `many` such unknowns:
  /// `columns` has the entries of D between each of them and those, [count][many], and is used up; `diagonals` their
  /// own.
  void bounds_with(std::size_t many, double* columns, const double* diagonals, double* bounds);

 private:
  static constexpr std::size_t none = std::size_t(-1);

  double search(std::size_t count, double* w, bool releases);
  double value(std::size_t count, const double* w) const;
  void factorise();
  void back_substitute(double* x) const;
  std::size_t step(double* w);
  std::size_t release(std::size_t count, const double* w);

  std::size_t most_;
  Ridge ridge_;
  std::vector<double> d_, b_, lower_, inverse_, x_, y_, best_;
  bool linear_used_ = false;
  std::vector<std::size_t> free_;  ///< unknowns that are not held at zero
  std::vector<double> last_;       ///< weights of the free ones
  std::vector<double> ones_;       ///< L^-1 1, after prepare()
  double inverse_sum_ = 0;         ///< 1^T D^-1 1, after prepare()
  std::vector<double> pivots_;
};

}  // namespace marrow::lbs
