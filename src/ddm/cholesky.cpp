// Multifrontal sparse SparseCholesky (Duff & Reid 1983), own implementation. Why not Eigen's: it has no dense blocks,
// and LocalSmoother needs the elimination tree to solve only where weights are.
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
    for (int s = 0; s < width; ++s) local_[at(block.first + s)] = s;
    for (int s = 0; s < below; ++s) local_[at(block.rows[at(s)])] = width + s;
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

SparseCholesky::SparseCholesky(const SparseMatrix& a, std::span<const Point> points)
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
    for (int s = 0; s < block.width; ++s) pivots_[at(block.first + s)] = front(s, s) * front(s, s);
    for (int r = 0; r < front.rows(); ++r) {
      for (int s = 0; s < block.width; ++s) entries_.push_back(r < s ? 0 : front(r, s) / front(s, s));
    }
  }
}

void SparseCholesky::solve(Eigen::Ref<Eigen::VectorXd> x) const {
  std::vector<double> y(size());
  for (std::size_t c = 0; c < size(); ++c) y[c] = x[elimination_.point[c]];
  const auto count = int(blocks().size());
  for (int b = 0; b < count; ++b) eliminate(b, y.data());
  for (std::size_t c = 0; c < size(); ++c) y[c] /= pivots_[c];
  for (int b = count; b-- > 0;) substitute(b, y.data());
  for (std::size_t c = 0; c < size(); ++c) x[elimination_.point[c]] = y[c];
}

}  // namespace marrow::ddm
