#include "two_layer/blend.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace marrow::two_layer {
namespace {

constexpr std::size_t row_stride = Differences::stride;

float entry(const float* gram, std::uint32_t a, std::uint32_t b) {
  return gram[a * row_stride + b];
}

Blend single(const float* gram, std::uint32_t a) {
  return {.count = 1, .candidates = {a}, .values = {1}, .error = entry(gram, a, a)};
}

/// Minimum of a^T gram a with sum 1, any sign, by elimination of the last coefficient. Returns false if the candidates
/// are dependent.
template <std::size_t count>
bool affine_minimum(const float* gram, const std::uint32_t* c, double* values) {
  constexpr std::size_t n = count - 1;
  double m[n][count];
  const std::uint32_t last = c[n];
  const double corner = entry(gram, last, last);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      m[i][j] = double(entry(gram, c[i], c[j])) - entry(gram, c[i], last) - entry(gram, c[j], last) + corner;
    }
    m[i][n] = corner - entry(gram, c[i], last);
  }
  for (std::size_t p = 0; p < n; ++p) {
    const double scale = double(entry(gram, c[p], c[p])) + corner - 2.0 * entry(gram, c[p], last);
    if (!(m[p][p] > 1e-6 * scale) || !(scale > 0)) return false;
    for (std::size_t i = p + 1; i < n; ++i) {
      const double f = m[i][p] / m[p][p];
      for (std::size_t j = p; j <= n; ++j) m[i][j] -= f * m[p][j];
    }
  }
  double rest = 1;
  for (std::size_t p = n; p-- > 0;) {
    double v = m[p][n];
    for (std::size_t j = p + 1; j < n; ++j) v -= m[p][j] * values[j];
    values[p] = v / m[p][p];
    rest -= values[p];
  }
  values[n] = rest;
  return true;
}

template <std::size_t count>
double error_of(const float* gram, const std::uint32_t* c, const double* values) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) sum += values[i] * values[j] * entry(gram, c[i], c[j]);
  }
  return sum;
}

Blend best_of(const float* gram, std::span<const std::uint32_t, 1> candidates, Sign) {
  return single(gram, candidates[0]);
}

template <std::size_t count>
Blend best_of(const float* gram, std::span<const std::uint32_t, count> candidates, Sign sign) {
  double values[count];
  if (affine_minimum<count>(gram, candidates.data(), values)) {
    if (count == 2 && sign == Sign::any) {
      values[0] = std::clamp<double>(values[0], 1 - most_of_any_sign, most_of_any_sign);
      values[1] = 1 - values[0];
    }
    const bool allowed = std::all_of(values, values + count, [&](double v) {
      return sign == Sign::convex ? v > 0 : std::abs(v) <= most_of_any_sign;
    });
    if (allowed) {
      Blend blend{.count = count};
      for (std::size_t i = 0; i < count; ++i) {
        blend.candidates[i] = candidates[i];
        blend.values[i] = float(values[i]);
      }
      blend.error = float(error_of<count>(gram, candidates.data(), values));
      return blend;
    }
  }
  // The minimum is on the boundary: for convex coefficients, on a face without one of the candidates.
  Blend best{.error = INFINITY};
  for (std::size_t out = 0; out < count; ++out) {
    std::uint32_t face[count - 1];
    for (std::size_t i = 0; i + 1 < count; ++i) face[i] = candidates[i < out ? i : i + 1];
    const Blend blend = best_of(gram, std::span<const std::uint32_t, count - 1>(face), sign);
    if (blend.error < best.error) best = blend;
  }
  return best;
}

}  // namespace

Blend best_blend(const float* gram, std::size_t count, const std::uint32_t* candidates, Sign sign) {
  static_assert(max_slots == 4);
  const auto first = [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
    return best_of(gram, std::span<const std::uint32_t, n>(candidates, n), sign);
  };
  switch (count) {
    case 1:
      return first(std::integral_constant<std::size_t, 1>());
    case 2:
      return first(std::integral_constant<std::size_t, 2>());
    case 3:
      return first(std::integral_constant<std::size_t, 3>());
    default:
      return first(std::integral_constant<std::size_t, 4>());
  }
}

}  // namespace marrow::two_layer
