#include "ddm/smoother.hpp"

#include <algorithm>

#include "marrow/error.hpp"

namespace marrow::mush {

Smoother::Smoother(const SparseMatrix& laplacian, const Eigen::VectorXd& mass)
    : solver_(std::make_unique<Eigen::SimplicialLDLT<SparseMatrix>>()), mass_(mass) {
  SparseMatrix system = laplacian;
  // Every point has a diagonal entry, also one without neighbours.
  SparseMatrix diagonal(laplacian.rows(), laplacian.cols());
  diagonal.setIdentity();
  diagonal.diagonal() = mass;
  system += diagonal;
  solver_->compute(system);
  if (solver_->info() != Eigen::Success) {
    throw Error(ErrorCode::bad_input, "ddm", "the smoothing system cannot be factorised; positions may be too large");
  }
  const auto& l = solver_->matrixL().nestedExpression();
  factor_ = {l.outerIndexPtr(), l.innerIndexPtr(), l.valuePtr()};
  const auto n = static_cast<int>(mass.size());
  place_.resize(points());
  point_.resize(points());
  for (int i = 0; i < n; ++i) {
    // An empty permutation stands for the identity.
    const int place = solver_->permutationP().size() > 0 ? solver_->permutationP().indices()[i] : i;
    place_[static_cast<std::size_t>(i)] = place;
    point_[static_cast<std::size_t>(place)] = i;
  }
  child_offsets_.assign(points() + 1, 0);
  const auto has_parent = [&](int c) { return factor_.starts[c] < factor_.starts[c + 1]; };
  const auto parent = [&](int c) { return static_cast<std::size_t>(factor_.rows[factor_.starts[c]]); };
  for (int c = 0; c < n; ++c) {
    if (has_parent(c)) ++child_offsets_[parent(c) + 1];
  }
  for (std::size_t c = 0; c < points(); ++c) child_offsets_[c + 1] += child_offsets_[c];
  children_.resize(static_cast<std::size_t>(child_offsets_.back()));
  std::vector<int> next = child_offsets_;
  for (int c = 0; c < n; ++c) {
    if (has_parent(c)) children_[static_cast<std::size_t>(next[parent(c)]++)] = c;
  }
  ones_ = solver_->solve(mass_);
}

void Smoother::step(Eigen::MatrixXd& values) const {
  const Eigen::MatrixXd right = mass_.asDiagonal() * values;
  values = ones_.cwiseInverse().asDiagonal() * solver_->solve(right);
}

template <int width>
LocalSmoother<width>::LocalSmoother(const Smoother& smoother, double least)
    : smoother_(smoother),
      least_(least),
      values_(smoother.points(), Values::Zero()),
      is_touched_(smoother.points(), false) {}

template <int width>
int LocalSmoother<width>::parent(int place) const {
  const auto& f = smoother_.factor_;
  return f.starts[place] < f.starts[place + 1] ? f.rows[f.starts[place]] : -1;
}

template <int width>
void LocalSmoother<width>::clear() {
  for (const int c : active_) at(c).setZero();
  active_.clear();
}

template <int width>
void LocalSmoother<width>::add(std::uint32_t point, const Values& values) {
  const int place = smoother_.place_[point];
  at(place) = values;
  active_.push_back(place);
}

/// `touched_`: the active places and all their ancestors, in the order of elimination.
template <int width>
void LocalSmoother<width>::mark_ancestors() {
  touched_.clear();
  for (const int c : active_) {
    for (int a = c; a >= 0 && !is_touched_[static_cast<std::size_t>(a)]; a = parent(a)) {
      is_touched_[static_cast<std::size_t>(a)] = true;
      touched_.push_back(a);
    }
  }
  std::ranges::sort(touched_);
}

template <int width>
void LocalSmoother<width>::eliminate(int place) {
  const auto& f = smoother_.factor_;
  const Values x = at(place);
  for (int e = f.starts[place]; e < f.starts[place + 1]; ++e) at(f.rows[e]) -= f.entries[e] * x;
}

template <int width>
void LocalSmoother<width>::substitute(int place) {
  const auto& f = smoother_.factor_;
  Values x = at(place);
  for (int e = f.starts[place]; e < f.starts[place + 1]; ++e) x -= f.entries[e] * at(f.rows[e]);
  at(place) = x;
}

/// Whether a neighbour above `place` in the tree has a weight that matters.
template <int width>
bool LocalSmoother<width>::reaches(int place) const {
  const auto& f = smoother_.factor_;
  for (int e = f.starts[place]; e < f.starts[place + 1]; ++e) {
    if (at(f.rows[e])[width - 1] >= least_) return true;
  }
  return false;
}

/// Back substitution from the roots downwards; `order_`: what was computed.
template <int width>
void LocalSmoother<width>::solve_down() {
  order_.clear();
  stack_.clear();
  for (const int c : touched_) {
    if (parent(c) < 0) stack_.push_back(c);
  }
  while (!stack_.empty()) {
    const int c = stack_.back();
    stack_.pop_back();
    substitute(c);
    order_.push_back(c);
    const auto s = static_cast<std::size_t>(c);
    for (int k = smoother_.child_offsets_[s]; k < smoother_.child_offsets_[s + 1]; ++k) {
      const int child = smoother_.children_[static_cast<std::size_t>(k)];
      if (is_touched_[static_cast<std::size_t>(child)] || reaches(child)) stack_.push_back(child);
    }
  }
}

template <int width>
void LocalSmoother<width>::step() {
  const auto point = [&](int c) { return smoother_.point_[static_cast<std::size_t>(c)]; };
  mark_ancestors();
  for (const int c : active_) at(c) *= smoother_.mass_[point(c)];
  for (const int c : touched_) eliminate(c);
  const auto& pivots = smoother_.solver_->vectorD();
  for (const int c : touched_) at(c) /= pivots[c];
  solve_down();
  for (const int c : touched_) is_touched_[static_cast<std::size_t>(c)] = false;
  active_.clear();
  for (const int c : order_) {
    at(c) /= smoother_.ones_[point(c)];
    if (at(c)[width - 1] >= least_) {
      active_.push_back(c);
    } else {
      at(c).setZero();
    }
  }
}

template class LocalSmoother<1>;
template class LocalSmoother<10>;

}  // namespace marrow::mush
