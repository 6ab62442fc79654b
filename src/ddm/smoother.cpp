// Le & Lewis 2019: implicit smoothing B = (I + lambda L)^-steps. Here (M + L)^-1 M with a diagonal mass M per point.
// LocalSmoother solves only where the result is not negligible, along the elimination tree.
#include "ddm/smoother.hpp"

#include <algorithm>

namespace marrow::ddm {

namespace {

SparseMatrix plus_diagonal(const SparseMatrix& matrix, const Eigen::VectorXd& diagonal) {
  // Adds a diagonal entry for points without neighbours, too.
  SparseMatrix out(matrix.rows(), matrix.cols());
  out.setIdentity();
  out.diagonal() = diagonal;
  return out + matrix;
}

}  // namespace

Smoother::Smoother(const WeldedSurface& surface, const SparseMatrix& laplacian, const Eigen::VectorXd& mass)
    : factor_(plus_diagonal(laplacian, mass), surface.points), mass_(mass), ones_(mass) {
  factor_.solve(ones_);
}

void Smoother::step(Eigen::MatrixXd& values) const {
  for (Eigen::Index s = 0; s < values.cols(); ++s) {
    values.col(s).array() *= mass_.array();
    factor_.solve(values.col(s));
    values.col(s).array() /= ones_.array();
  }
}

template <int width>
LocalSmoother<width>::LocalSmoother(const Smoother& smoother, double least)
    : smoother_(smoother),
      least_(least),
      values_(smoother.points(), Values::Zero()),
      is_touched_(smoother.factor_.blocks().size(), false) {}

template <int width>
void LocalSmoother<width>::clear() {
  for (const int c : active_) at(c).setZero();
  active_.clear();
}

template <int width>
void LocalSmoother<width>::add(std::uint32_t point, const Values& values) {
  const int place = smoother_.factor_.place(point);
  at(place) = values;
  active_.push_back(place);
}

/// Sets `touched_`: the blocks of the active places and their ancestors, in order of elimination.
template <int width>
void LocalSmoother<width>::mark_ancestors() {
  const SparseCholesky& factor = smoother_.factor_;
  touched_.clear();
  for (const int c : active_) {
    for (int b = factor.block_of(c); b >= 0 && !is_touched_[std::size_t(b)]; b = factor.parent(b)) {
      is_touched_[std::size_t(b)] = true;
      touched_.push_back(b);
    }
  }
  std::ranges::sort(touched_);
}

/// Whether a row below the block, next to its subtree, has a weight of at least `least_`.
template <int width>
bool LocalSmoother<width>::reaches(int block) const {
  return std::ranges::any_of(smoother_.factor_.blocks()[std::size_t(block)].rows,
                             [&](int r) { return at(r)[width - 1] >= least_; });
}

/// Back substitution from the roots down; `order_`: the blocks solved.
template <int width>
void LocalSmoother<width>::solve_down() {
  const SparseCholesky& factor = smoother_.factor_;
  order_.clear();
  stack_.clear();
  for (const int b : touched_) {
    if (factor.parent(b) < 0) stack_.push_back(b);
  }
  while (!stack_.empty()) {
    const int b = stack_.back();
    stack_.pop_back();
    factor.substitute(b, values_.data());
    order_.push_back(b);
    for (const int child : factor.blocks()[std::size_t(b)].children) {
      if (is_touched_[std::size_t(child)] || reaches(child)) stack_.push_back(child);
    }
  }
}

template <int width>
void LocalSmoother<width>::step() {
  const SparseCholesky& factor = smoother_.factor_;
  const auto for_places = [&](const std::vector<int>& blocks, auto&& visit) {
    for (const int b : blocks) {
      const Block& block = factor.blocks()[std::size_t(b)];
      for (int c = block.first; c < block.first + block.width; ++c) visit(c);
    }
  };
  mark_ancestors();
  for (const int c : active_) at(c) *= smoother_.mass_[factor.point(c)];
  for (const int b : touched_) factor.eliminate(b, values_.data());
  for_places(touched_, [&](int c) { at(c) /= factor.pivot(c); });
  solve_down();
  for (const int b : touched_) is_touched_[std::size_t(b)] = false;
  active_.clear();
  for_places(order_, [&](int c) {
    at(c) /= smoother_.ones_[factor.point(c)];
    if (at(c)[width - 1] >= least_) {
      active_.push_back(c);
    } else {
      at(c).setZero();
    }
  });
}

template class LocalSmoother<1>;
template class LocalSmoother<10>;

}  // namespace marrow::ddm
