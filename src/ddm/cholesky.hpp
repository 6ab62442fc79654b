#pragma once

#include <span>
#include <vector>

#include "ddm/elimination.hpp"
#include "ddm/surface.hpp"

namespace marrow::ddm {

/// A = P^T L D L^T P of a sparse symmetric positive definite matrix; L has a unit diagonal.
///
/// Multifrontal: columns with the same rows are eliminated together as a dense block, which makes large meshes
/// affordable. For an M-matrix no off-diagonal entry of L is positive, even with rounding.
class SparseCholesky {
 public:
  /// `a`: both triangles. `points`: position of each row, for the ordering. Throws Error{bad_input} unless the matrix
  /// is positive definite.
  SparseCholesky(const SparseMatrix& a, std::span<const Point> points);

  std::size_t size() const { return pivots_.size(); }
  /// Solves for one right-hand side, in place.
  void solve(Eigen::Ref<Eigen::VectorXd> x) const;

  // For solvers that work block by block. Places are indices in the order of elimination.

  int place(std::size_t point) const { return elimination_.place[point]; }
  int point(int place) const { return elimination_.point[std::size_t(place)]; }
  double pivot(int place) const { return pivots_[std::size_t(place)]; }
  const std::vector<Block>& blocks() const { return elimination_.blocks; }
  int block_of(int place) const { return block_of_[std::size_t(place)]; }
  /// The block that contains the first row below this one; -1 at a root.
  int parent(int block) const {
    const std::vector<int>& rows = blocks()[std::size_t(block)].rows;
    return rows.empty() ? -1 : block_of(rows.front());
  }

  /// x := L_b^-1 x for the columns of one block. x: one element per place, of a type that adds and scales.
  template <class Values>
  void eliminate(int block, Values* x) const;
  /// x := L_b^-T x.
  template <class Values>
  void substitute(int block, Values* x) const;

 private:
  /// L of a block: its own rows, then the rows below, `width` entries each.
  const double* entries(int block) const { return entries_.data() + starts_[std::size_t(block)]; }

  Elimination elimination_;
  std::vector<int> block_of_;
  std::vector<std::size_t> starts_;  ///< per block, offset in entries_
  std::vector<double> entries_;
  std::vector<double> pivots_;  ///< D
};

template <class Values>
void SparseCholesky::eliminate(int block, Values* x) const {
  const Block& b = blocks()[std::size_t(block)];
  const auto width = std::size_t(b.width);
  Values* own = x + b.first;
  const double* row = entries(block);
  for (std::size_t r = 0; r < width; ++r, row += width) {
    for (std::size_t s = 0; s < r; ++s) own[r] -= row[s] * own[s];
  }
  for (std::size_t r = 0; r < b.rows.size(); ++r, row += width) {
    Values sum = row[0] * own[0];
    for (std::size_t s = 1; s < width; ++s) sum += row[s] * own[s];
    x[b.rows[r]] -= sum;
  }
}

template <class Values>
void SparseCholesky::substitute(int block, Values* x) const {
  const Block& b = blocks()[std::size_t(block)];
  const auto width = std::size_t(b.width);
  Values* own = x + b.first;
  const double* row = entries(block) + width * width;
  for (std::size_t r = 0; r < b.rows.size(); ++r, row += width) {
    const Values above = x[b.rows[r]];
    for (std::size_t s = 0; s < width; ++s) own[s] -= row[s] * above;
  }
  row = entries(block);
  for (std::size_t r = width; r-- > 0;) {
    for (std::size_t s = 0; s < r; ++s) own[s] -= row[width * r + s] * own[r];
  }
}

}  // namespace marrow::ddm
