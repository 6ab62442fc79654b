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

AtomBlend single(const float* gram, std::uint32_t a) {
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
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t s = 0; s < n; ++s) {
      m[r][s] = double(entry(gram, c[r], c[s])) - entry(gram, c[r], last) - entry(gram, c[s], last) + corner;
    }
    m[r][n] = corner - entry(gram, c[r], last);
  }
  for (std::size_t p = 0; p < n; ++p) {
    const double scale = double(entry(gram, c[p], c[p])) + corner - 2.0 * entry(gram, c[p], last);
    if (!(m[p][p] > 1e-6 * scale) || !(scale > 0)) return false;
    for (std::size_t r = p + 1; r < n; ++r) {
      const double f = m[r][p] / m[p][p];
      for (std::size_t s = p; s <= n; ++s) m[r][s] -= f * m[p][s];
    }
  }
  double rest = 1;
  for (std::size_t p = n; p-- > 0;) {
    double v = m[p][n];
    for (std::size_t s = p + 1; s < n; ++s) v -= m[p][s] * values[s];
    values[p] = v / m[p][p];
    rest -= values[p];
  }
  values[n] = rest;
  return true;
}

template <std::size_t count>
double error_of(const float* gram, const std::uint32_t* c, const double* values) {
  double sum = 0;
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t s = 0; s < count; ++s) sum += values[r] * values[s] * entry(gram, c[r], c[s]);
  }
  return sum;
}

AtomBlend best_of(const float* gram, std::span<const std::uint32_t, 1> candidates, Sign) {
  return single(gram, candidates[0]);
}

template <std::size_t count>
AtomBlend best_of(const float* gram, std::span<const std::uint32_t, count> candidates, Sign sign) {
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
      AtomBlend blend{.count = count};
      for (std::size_t r = 0; r < count; ++r) {
        blend.candidates[r] = candidates[r];
        blend.values[r] = float(values[r]);
      }
      blend.error = float(error_of<count>(gram, candidates.data(), values));
      return blend;
    }
  }
  // The minimum is on the boundary: for convex coefficients, on a face without one of the candidates.
  AtomBlend best{.error = INFINITY};
  for (std::size_t out = 0; out < count; ++out) {
    std::uint32_t face[count - 1];
    for (std::size_t r = 0; r + 1 < count; ++r) face[r] = candidates[r < out ? r : r + 1];
    const AtomBlend blend = best_of(gram, std::span<const std::uint32_t, count - 1>(face), sign);
    if (blend.error < best.error) best = blend;
  }
  return best;
}

}  // namespace

AtomBlend best_blend(const float* gram, std::size_t count, const std::uint32_t* candidates, Sign sign) {
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
