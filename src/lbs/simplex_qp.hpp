#pragma once

#include <cstddef>
#include <vector>

namespace marrow::lbs {

/// Minimises w^T D w - 2 b^T w over w >= 0 with sum 1, for small symmetric D >= 0, by an active set: exact up to
/// rounding. Reuses its buffers between calls.
class SimplexQp {
 public:
  /// Added to the diagonal, as D may be singular: shares of the sum and of the mean of the diagonal.
  struct Ridge {
    double of_sum = 1e-12, of_mean = 0;
  };
  /// For at most `most` unknowns.
  explicit SimplexQp(std::size_t most, Ridge ridge);
  explicit SimplexQp(std::size_t most) : SimplexQp(most, Ridge()) {}

  /// D by rows, stride() from row to row; solve() uses the leading `count` rows and columns.
  double* matrix() { return d_.data(); }
  std::size_t stride() const { return most_; }
  /// b; 0 at first.
  double* linear() { return b_.data(); }

  /// From feasible weights; the result is never worse than they are. Returns the value.
  double solve(std::size_t count, double* w) { return search(count, w, true); }
  /// The same over the weights that are positive at the start: zeros stay zero.
  double solve_on_support(std::size_t count, double* w) { return search(count, w, false); }

  /// After solve() without b: the positive weight cheapest to remove, as an index among the positive ones. The cost is
  /// w_a^2 / (D^-1)_aa, up to the sum constraint: the others are optimal again, without w >= 0.
  std::size_t least_needed();

  /// Prepares bounds_with(), without b, for the leading `count` >= 0 unknowns of D.
  void prepare(std::size_t count);
  /// Lower bounds of the minimum over those unknowns plus one more, ignoring w >= 0, for `many` candidates. `columns`:
  /// entries of D between the unknowns and each candidate, [count][many]; overwritten. `diagonals`: entries of the
  /// candidates themselves.
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
  std::vector<std::size_t> free_;  ///< unknowns not held at zero
  std::vector<double> last_;       ///< weights of the free ones
  std::vector<double> ones_;       ///< L^-1 1, after prepare()
  double inverse_sum_ = 0;         ///< 1^T D^-1 1, after prepare()
  std::vector<double> pivots_;
};

}  // namespace marrow::lbs
