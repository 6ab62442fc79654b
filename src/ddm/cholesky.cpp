// Multifrontal sparse Cholesky (Duff & Reid 1983), own implementation. Why not Eigen's: it has no dense blocks, and
// LocalSmoother needs the elimination tree to solve only where weights are.
#include "ddm/cholesky.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "marrow/error.hpp"

namespace marrow::ddm {
namespace {

/// Eliminates block after block. The front of a block is the dense lower triangle of its columns and rows; its Schur
/// complement goes to the parent block.
class Fronts {
 public:
  Fronts(const SparseMatrix& a, const Elimination& elimination)
      : a_(a), e_(elimination), local_(elimination.place.size(), 0), rests_(elimination.blocks.size()) {}

  /// Returns the front; its first `width` columns hold L of L L^T.
  const Eigen::MatrixXd& eliminate(std::size_t b) {
    const Block& block = e_.blocks[b];
    const int width = block.width, below = int(block.rows.size());
    for (int k = 0; k < width; ++k) local_[at(block.first + k)] = k;
    for (int k = 0; k < below; ++k) local_[at(block.rows[at(k)])] = width + k;
    front_.setZero(width + below, width + below);
    gather(block);
    factorise(width, below);
    rests_[b] = front_.bottomRightCorner(below, below);
    return front_;
  }

 private:
  void gather(const Block& block) {
    for (int c = block.first; c < block.first + block.width; ++c) {
      for (SparseMatrix::InnerIterator e(a_, e_.point[at(c)]); e; ++e) {
        const int r = e_.place[std::size_t(e.row())];
        if (r >= c) front_(local_[at(r)], local_[at(c)]) += e.value();
      }
    }
    for (const int child : block.children) {
      const std::vector<int>& rows = e_.blocks[at(child)].rows;
      Eigen::MatrixXd& rest = rests_[at(child)];
      for (Eigen::Index c = 0; c < rest.cols(); ++c) {
        const int column = local_[at(rows[std::size_t(c)])];
        for (Eigen::Index r = c; r < rest.rows(); ++r) {
          front_(local_[at(rows[std::size_t(r)])], column) += rest(r, c);
        }
      }
      rest.resize(0, 0);
    }
  }

  void factorise(int width, int below) {
    auto corner = front_.topLeftCorner(width, width);
    auto side = front_.bottomLeftCorner(below, width);
    Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> llt(corner);
    if (llt.info() != Eigen::Success) {
      throw Error(ErrorCode::bad_input, "ddm",
                  "the smoothing system is not positive definite; is a position too large?");
    }
    corner.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(side);
    front_.bottomRightCorner(below, below).selfadjointView<Eigen::Lower>().rankUpdate(side, -1);
  }

  const SparseMatrix& a_;
  const Elimination& e_;
  std::vector<int> local_;  ///< place to row of the front
  std::vector<Eigen::MatrixXd> rests_;
  Eigen::MatrixXd front_;
};

}  // namespace

Cholesky::Cholesky(const SparseMatrix& a, std::span<const Point> points)
    : elimination_(a, points), block_of_(elimination_.place.size()) {
  std::size_t count = 0;
  for (std::size_t b = 0; b < blocks().size(); ++b) {
    const Block& block = blocks()[b];
    starts_.push_back(count);
    count += at(block.width) * (at(block.width) + block.rows.size());
    std::fill_n(block_of_.begin() + block.first, block.width, int(b));
  }
  entries_.reserve(count);
  pivots_.resize(block_of_.size());
  Fronts fronts(a, elimination_);
  for (std::size_t b = 0; b < blocks().size(); ++b) {
    const Eigen::MatrixXd& front = fronts.eliminate(b);
    const Block& block = blocks()[b];
    // Converts L L^T to L D L^T.
    for (int k = 0; k < block.width; ++k) pivots_[at(block.first + k)] = front(k, k) * front(k, k);
    for (int r = 0; r < front.rows(); ++r) {
      for (int k = 0; k < block.width; ++k) entries_.push_back(r < k ? 0 : front(r, k) / front(k, k));
    }
  }
}

void Cholesky::solve(Eigen::Ref<Eigen::VectorXd> x) const {
  std::vector<double> y(size());
  for (std::size_t c = 0; c < size(); ++c) y[c] = x[elimination_.point[c]];
  const auto count = int(blocks().size());
  for (int b = 0; b < count; ++b) eliminate(b, y.data());
  for (std::size_t c = 0; c < size(); ++c) y[c] /= pivots_[c];
  for (int b = count; b-- > 0;) substitute(b, y.data());
  for (std::size_t c = 0; c < size(); ++c) x[elimination_.point[c]] = y[c];
}

}  // namespace marrow::ddm
