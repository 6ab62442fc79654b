// Le & Deng 2012 (SSDR), Section 3.2: active-set solver for the weights of one vertex, warm-started. Differs: Cholesky
// factors with a ridge of a small dense D, and bounds for the search of the support.
#include "lbs/simplex_qp.hpp"

#include <algorithm>
#include <cmath>

namespace marrow::lbs {

SimplexQp::SimplexQp(std::size_t most, Ridge ridge)
    : most_(most),
      ridge_(ridge),
      d_(most * most),
      b_(most),
      lower_(most * most),
      inverse_(most),
      x_(most),
      y_(most),
      best_(most),
      ones_(most) {
  free_.reserve(most);
  last_.reserve(most);
}

double SimplexQp::value(std::size_t count, const double* w) const {
  double sum = 0;
  for (std::size_t r = 0; r < count; ++r) {
    if (w[r] == 0) continue;
    double dot = 0;
    for (std::size_t s = 0; s < count; ++s) dot += d_[r * most_ + s] * w[s];
    sum += w[r] * (dot - 2 * b_[r]);
  }
  return sum;
}

/// Factorises D of the free unknowns as L diag(p) L^T, with a ridge that separates equal bones. Stores L and 1 / p.
void SimplexQp::factorise() {
  const std::size_t n = free_.size();
  double trace = 0;
  for (const std::size_t a : free_) trace += d_[a * most_ + a];
  const double ridge = (ridge_.of_sum + ridge_.of_mean / double(n)) * trace + 1e-300;
  for (std::size_t r = 0; r < n; ++r) {
    const double* from = d_.data() + free_[r] * most_;
    double* row = lower_.data() + r * most_;
    double pivot = from[free_[r]] + ridge;
    for (std::size_t s = 0; s < r; ++s) {
      double sum = from[free_[s]];
      for (std::size_t q = 0; q < s; ++q) sum -= x_[q] * lower_[s * most_ + q];
      x_[s] = sum;  // L_rs p_s
    }
    for (std::size_t s = 0; s < r; ++s) {
      row[s] = x_[s] * inverse_[s];
      pivot -= row[s] * x_[s];
    }
    inverse_[r] = 1 / std::max(pivot, ridge);
  }
}

void SimplexQp::back_substitute(double* x) const {
  const std::size_t n = free_.size();
  for (std::size_t r = 1; r < n; ++r) {
    for (std::size_t q = 0; q < r; ++q) x[r] -= lower_[r * most_ + q] * x[q];
  }
  for (std::size_t r = n; r-- > 0;) {
    x[r] *= inverse_[r];
    for (std::size_t q = r + 1; q < n; ++q) x[r] -= lower_[q * most_ + r] * x[q];
  }
}

/// Best weights of the free ones whatever their sign, x = D^-1 (b + m 1) with the m that makes their sum 1; then there
/// as far as the signs allow. What reached zero is held: returns which that is, or none.
std::size_t SimplexQp::step(double* w) {
  factorise();
  const std::size_t n = free_.size();
  std::fill_n(x_.begin(), n, 1.0);
  back_substitute(x_.data());
  for (std::size_t r = 0; r < n; ++r) y_[r] = b_[free_[r]];
  if (linear_used_) back_substitute(y_.data());
  double sum = 0, along = 0;
  for (std::size_t r = 0; r < n; ++r) {
    sum += x_[r];
    along += y_[r];
  }
  if (!std::isfinite(sum) || !(sum > 0) || !std::isfinite(along)) return none;
  double length = 1;
  std::size_t blocking = none;
  for (std::size_t r = 0; r < n; ++r) {
    x_[r] = x_[r] * (1 - along) / sum + y_[r];
    const double now = w[free_[r]];
    if (x_[r] > 0) continue;
    const double allowed = now > 0 ? now / (now - x_[r]) : 0;
    if (blocking == none || allowed < length) {
      length = allowed;
      blocking = r;
    }
  }
  for (std::size_t r = 0; r < n; ++r) w[free_[r]] += length * (x_[r] - w[free_[r]]);
  if (blocking == none) return none;
  const std::size_t held = free_[blocking];
  w[held] = 0;
  free_.erase(free_.begin() + std::ptrdiff_t(blocking));
  return held;
}

/// Frees the held unknown with the most negative slope. Returns it, or none.
std::size_t SimplexQp::release(std::size_t count, const double* w) {
  double level = 0, least = 0, scale = 0;
  std::size_t best = none;
  for (std::size_t r = 0; r < count; ++r) {
    double dot = 0;
    for (std::size_t s = 0; s < count; ++s) dot += d_[r * most_ + s] * w[s];
    x_[r] = dot - b_[r];
    level += w[r] * x_[r];
    scale = std::max(scale, d_[r * most_ + r]);
  }
  for (std::size_t r = 0; r < count; ++r) {
    const double slope = x_[r] - level;
    if (w[r] == 0 && slope < least - 1e-13 * scale && std::ranges::find(free_, r) == free_.end()) {
      least = slope;
      best = r;
    }
  }
  if (best != none) free_.push_back(best);
  return best;
}

double SimplexQp::search(std::size_t count, double* w, bool releases) {
  linear_used_ = std::any_of(b_.begin(), b_.begin() + std::ptrdiff_t(count), [](double b) { return b != 0; });
  const double before = value(count, w);
  std::copy_n(w, count, best_.begin());
  free_.clear();
  for (std::size_t a = 0; a < count; ++a) {
    if (w[a] > 0) free_.push_back(a);
  }
  std::size_t released = none;
  // Each round holds or frees one; the limit guards against rounding.
  for (std::size_t round = 0; round < 6 * count + 6; ++round) {
    const std::size_t held = step(w);
    if (held == none) {
      released = releases ? release(count, w) : none;
      if (released == none) break;
    } else if (held == released) {
      break;
    } else {
      released = none;
    }
  }
  double after = value(count, w);
  if (!(after <= before)) {
    std::copy_n(best_.begin(), count, w);
    after = before;
  }
  free_.clear();
  last_.clear();
  for (std::size_t a = 0; a < count; ++a) {
    if (!(w[a] > 0)) continue;
    free_.push_back(a);
    last_.push_back(w[a]);
  }
  return after;
}

void SimplexQp::prepare(std::size_t count) {
  free_.clear();
  for (std::size_t a = 0; a < count; ++a) free_.push_back(a);
  factorise();
  inverse_sum_ = 0;
  for (std::size_t r = 0; r < count; ++r) {
    ones_[r] = 1;
    for (std::size_t q = 0; q < r; ++q) ones_[r] -= lower_[r * most_ + q] * ones_[q];
    inverse_sum_ += ones_[r] * ones_[r] * inverse_[r];
  }
}

/// min w^T D w with sum 1 is 1 / (1^T D^-1 1). Adding a column c with diagonal d to D increases 1^T D^-1 1 by (1 - c^T
/// D^-1 1)^2 / (d - c^T D^-1 c).
void SimplexQp::bounds_with(std::size_t many, double* columns, const double* diagonals, double* bounds) {
  pivots_.assign(diagonals, diagonals + many);
  std::fill_n(bounds, many, 1.0);
  for (std::size_t r = 0; r < free_.size(); ++r) {
    double* own = columns + r * many;
    for (std::size_t q = 0; q < r; ++q) {
      const double factor = lower_[r * most_ + q];
      const double* above = columns + q * many;
      for (std::size_t c = 0; c < many; ++c) own[c] -= factor * above[c];
    }
    const double inverse = inverse_[r], one = inverse_[r] * ones_[r];
    for (std::size_t c = 0; c < many; ++c) bounds[c] -= one * own[c];
    for (std::size_t c = 0; c < many; ++c) pivots_[c] -= inverse * own[c] * own[c];
  }
  for (std::size_t c = 0; c < many; ++c) {
    const double pivot = std::max(pivots_[c], 1e-12 * diagonals[c] + 1e-300);
    bounds[c] = 1 / (inverse_sum_ + bounds[c] * bounds[c] / pivot);
  }
}

std::size_t SimplexQp::least_needed() {
  factorise();
  std::size_t least = 0;
  double least_cost = 0;
  for (std::size_t e = 0; e < free_.size(); ++e) {
    std::fill_n(x_.begin(), free_.size(), 0.0);
    x_[e] = 1;
    back_substitute(x_.data());
    const double cost = x_[e] > 0 ? last_[e] * last_[e] / x_[e] : 0;
    if (e == 0 || cost < least_cost) {
      least = e;
      least_cost = cost;
    }
  }
  return least;
}

}  // namespace marrow::lbs
