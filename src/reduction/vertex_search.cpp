#include "reduction/vertex_search.hpp"

#include <algorithm>
#include <cmath>

#include "lbs/points.hpp"

namespace marrow::reduction {

using kernels::lanes;

namespace {

/// A step must lower the error by this share, or rounding would go round in circles.
constexpr double least_share = 1e-9;

}  // namespace

VertexSearch::VertexSearch(const kernels::WeightProblem& tables, std::size_t influences)
    : tables_(tables),
      influences_(std::min(influences, tables.bones)),
      most_(std::min(2 * influences_ + 2, std::max(tables.bones, influences_ + 1))),
      qp_(most_ + 1),
      single_(tables.bones),
      linear_(tables.bones),
      rows_(tables.bones * tables.bones),
      row_age_(tables.bones),
      slope_(tables.bones),
      gain_(tables.bones),
      allowed_(tables.bones, 1) {
  order_.reserve(tables.bones);
  columns_.resize((influences_ + 1) * tables.bones);
  diagonals_.resize(tables.bones);
  bounds_.resize(tables.bones);
  steps_.reserve(influences_ * tables.bones);
  trial_.reserve(most_ + 1);
  best_.reserve(most_ + 1);
  kicked_.reserve(most_ + 1);
}

void VertexSearch::start(const double* rest, const double* singles, double squared) {
  const double x = rest[0], y = rest[lbs::lanes], z = rest[2 * lbs::lanes];
  const double monomials[10] = {x * x, 2 * x * y, 2 * x * z, 2 * x, y * y, 2 * y * z, 2 * y, z * z, 2 * z, 1};
  std::copy_n(monomials, 10, m_);
  squared_ = squared;
  ++age_;
  allow_all();
  for (std::size_t j = 0; j < tables_.bones; ++j) {
    double diagonal = 0;
    for (std::size_t q = 0; q < 10; ++q) diagonal += m_[q] * tables_.diagonal[q * tables_.stride + j];
    single_[j] = singles[j * lbs::lanes];
    linear_[j] = 0.5 * (diagonal + squared - single_[j]);
  }
}

void VertexSearch::allow_only(std::span<const std::uint32_t> bones) {
  std::ranges::fill(allowed_, 0);
  for (const std::uint32_t j : bones) allowed_[j] = 1;
}

void VertexSearch::allow_all() {
  std::ranges::fill(allowed_, 1);
}

const double* VertexSearch::row(std::uint32_t j) {
  const std::size_t n = tables_.bones;
  double* out = rows_.data() + j * n;
  if (row_age_[j] == age_) return out;
  row_age_[j] = age_;
  const double* from = tables_.gram + std::size_t(j) * 10 * tables_.stride;
  for (std::size_t l = 0; l < n; ++l) {
    double sum = m_[0] * from[l];
    for (std::size_t q = 1; q < 10; ++q) sum += m_[q] * from[q * tables_.stride + l];
    out[l] = sum;
  }
  return out;
}

double VertexSearch::entry(std::uint32_t j, std::uint32_t l) {
  return j == l ? single_[j] : row(j)[l] - linear_[j] - linear_[l] + squared_;
}

void VertexSearch::fill(std::span<const std::uint32_t> bones) {
  double* d = qp_.matrix();
  const std::size_t stride = qp_.stride();
  for (std::size_t r = 0; r < bones.size(); ++r) {
    for (std::size_t s = 0; s <= r; ++s) {
      // The earlier bone's row: those of a support are at hand, that of a newcomer need not be.
      d[r * stride + s] = d[s * stride + r] = entry(bones[s], bones[r]);
    }
  }
}

void VertexSearch::solve(VertexFit& fit) {
  fill(fit.bones);
  fit.error = std::max(0.0, qp_.solve(fit.bones.size(), fit.weights.data()));
  std::size_t left = 0;
  for (std::size_t a = 0; a < fit.bones.size(); ++a) {
    if (!(fit.weights[a] > 0)) continue;
    fit.bones[left] = fit.bones[a];
    fit.weights[left++] = fit.weights[a];
  }
  fit.bones.resize(left);
  fit.weights.resize(left);
}

/// Half the derivative of the error when weight goes to bone l from all others, in parts, and what a line search along
/// it gains. Zero for bones of the fit.
void VertexSearch::slopes(const VertexFit& fit) {
  const std::size_t n = tables_.bones;
  std::fill(slope_.begin(), slope_.end(), 0.0);
  for (std::size_t a = 0; a < fit.bones.size(); ++a) {
    const double* r = row(fit.bones[a]);
    for (std::size_t l = 0; l < n; ++l) slope_[l] += fit.weights[a] * r[l];
  }
  double squared = 0, linear = 0;
  for (std::size_t a = 0; a < fit.bones.size(); ++a) {
    squared += fit.weights[a] * slope_[fit.bones[a]];
    linear += fit.weights[a] * linear_[fit.bones[a]];
  }
  const double tiny = 1e-14 * squared_;
  for (std::size_t l = 0; l < n; ++l) {
    // Both from D w: (D w)_k - w^T D w, and D_kk - 2 (D w)_k + w^T D w.
    const double product = slope_[l] - linear_[l] - linear + squared_;
    const double curvature = std::max(0.0, single_[l] - 2 * product + fit.error);
    slope_[l] = slope_[l] - linear_[l] - (squared - linear);
    const double down = std::min(slope_[l], 0.0);
    gain_[l] = allowed_[l] ? down * down / (curvature + tiny) : 0;
  }
  for (const std::uint32_t j : fit.bones) slope_[j] = gain_[j] = 0;
}

void VertexSearch::grow(VertexFit& fit, std::size_t most) {
  while (fit.bones.size() < most) {
    slopes(fit);
    const auto l = std::uint32_t(std::ranges::max_element(gain_) - gain_.begin());
    if (!(gain_[l] > least_share * fit.error)) return;
    const double before = fit.error;
    fit.push(l, 0);
    solve(fit);
    if (!(fit.error < before * (1 - least_share))) return;
  }
}

void VertexSearch::shrink(VertexFit& fit, std::size_t most) {
  solve(fit);
  while (fit.bones.size() > most) {
    const auto a = std::ptrdiff_t(qp_.least_needed());
    const double rest = 1 - fit.weights[std::size_t(a)];
    fit.bones.erase(fit.bones.begin() + a);
    fit.weights.erase(fit.weights.begin() + a);
    const double even = 1 / double(fit.weights.size());
    for (double& w : fit.weights) w = rest > 1e-9 ? w / rest : even;
    solve(fit);
  }
}

/// trial_ = the fit without one entry, the rest divided by its sum.
void VertexSearch::take(const VertexFit& fit, std::size_t left_out) {
  const double rest = left_out < fit.bones.size() ? 1 - fit.weights[left_out] : 1;
  trial_.clear();
  for (std::size_t e = 0; e < fit.bones.size(); ++e) {
    if (e != left_out) trial_.push(fit.bones[e], rest > 1e-9 ? fit.weights[e] / rest : 0);
  }
}

void VertexSearch::list_steps_without(const VertexFit& fit, std::size_t left_out) {
  take(fit, left_out);
  fill(trial_.bones);
  qp_.prepare(trial_.bones.size());
  const std::size_t many = order_.size();
  for (std::size_t e = 0; e < trial_.bones.size(); ++e) {
    const double* from = row(trial_.bones[e]);
    const double shift = squared_ - linear_[trial_.bones[e]];
    for (std::size_t c = 0; c < many; ++c) columns_[e * many + c] = from[order_[c]] - linear_[order_[c]] + shift;
  }
  qp_.bounds_with(many, columns_.data(), diagonals_.data(), bounds_.data());
  for (std::size_t c = 0; c < many; ++c) {
    if (bounds_[c] < fit.error * (1 - least_share)) steps_.push_back({bounds_[c], left_out, order_[c]});
  }
}

/// Every step that might lower the error, the most promising first. A bone towards which the error does not fall cannot
/// be in a better set with all but one of the others.
void VertexSearch::list_steps(const VertexFit& fit) {
  slopes(fit);
  order_.clear();
  for (std::uint32_t j = 0; j < tables_.bones; ++j) {
    if (!(gain_[j] > least_share * fit.error)) continue;
    diagonals_[order_.size()] = single_[j];
    order_.push_back(j);
  }
  steps_.clear();
  if (fit.bones.size() < influences_) {
    list_steps_without(fit, fit.bones.size());
  } else {
    for (std::size_t a = 0; a < fit.bones.size(); ++a) list_steps_without(fit, a);
  }
  std::ranges::sort(steps_, [](const Step& a, const Step& b) {
    if (a.bound != b.bound) return a.bound < b.bound;
    return a.bone != b.bone ? a.bone < b.bone : a.left_out < b.left_out;
  });
}

void VertexSearch::exchange(VertexFit& fit) {
  // Every round lowers the error, so this ends; the limit is for rounding.
  for (int round = 0; round < 100; ++round) {
    list_steps(fit);
    best_ = fit;
    for (const Step& step : steps_) {
      if (!(step.bound < best_.error * (1 - least_share))) break;
      take(fit, step.left_out);
      const bool alone = trial_.weights.empty() || std::ranges::max(trial_.weights) == 0;
      trial_.push(step.bone, alone ? 1 : 0);
      solve(trial_);
      if (trial_.error < best_.error * (1 - least_share)) std::swap(best_, trial_);
    }
    if (!(best_.error < fit.error)) return;
    std::swap(fit, best_);
  }
}

void VertexSearch::kick(VertexFit& fit) {
  for (std::size_t a = 0; fit.bones.size() > 1 && a < fit.bones.size(); ++a) {
    const std::uint32_t without = fit.bones[a];
    const double rest = 1 - fit.weights[a];
    if (!(rest > 1e-9)) continue;
    kicked_.clear();
    for (std::size_t e = 0; e < fit.bones.size(); ++e) {
      if (e != a) kicked_.push(fit.bones[e], fit.weights[e] / rest);
    }
    allowed_[without] = 0;
    solve(kicked_);
    exchange(kicked_);
    allowed_[without] = 1;
    exchange(kicked_);
    if (!(kicked_.error < fit.error * (1 - 1e-6))) continue;
    std::swap(fit, kicked_);
    a = std::size_t(-1);  // all of them again
  }
}

}  // namespace marrow::reduction
