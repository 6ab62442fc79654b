#include "two_layer/simplex.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace marrow::two_layer {
namespace {

constexpr std::size_t row_stride = Differences::stride;

float entry(const float* gram, std::uint32_t a, std::uint32_t b) {
  return gram[a * row_stride + b];
}

Blend single(const float* gram, std::uint32_t a) {
  return {.count = 1, .candidates = {a}, .values = {1}, .error = entry(gram, a, a)};
}

/// Minimum of a^T gram a with sum 1 and no sign, by elimination of the last coefficient. False where candidates are
/// not independent.
bool affine_minimum(const float* gram, std::size_t count, const std::uint32_t* c, double* values) {
  const std::size_t n = count - 1;
  std::array<std::array<double, max_slots>, max_slots - 1> m{};
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

double error_of(const float* gram, std::size_t count, const std::uint32_t* c, const double* values) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) sum += values[i] * values[j] * entry(gram, c[i], c[j]);
  }
  return sum;
}

}  // namespace

Blend best_blend(const float* gram, std::size_t count, const std::uint32_t* candidates, Sign sign) {
  if (count == 1) return single(gram, candidates[0]);
  double values[max_slots];
  if (affine_minimum(gram, count, candidates, values)) {
    const bool inside = std::all_of(values, values + count, [](double v) { return v > 0; });
    if (inside || sign == Sign::any) {
      Blend blend{.count = count};
      for (std::size_t i = 0; i < count; ++i) {
        blend.candidates[i] = candidates[i];
        blend.values[i] = float(values[i]);
      }
      blend.error = float(error_of(gram, count, candidates, values));
      return blend;
    }
  }
  // The minimum is on the boundary: on one of the faces that leave a candidate out.
  Blend best{.error = INFINITY};
  std::uint32_t face[max_slots];
  for (std::size_t out = 0; out < count; ++out) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i != out) face[n++] = candidates[i];
    }
    const Blend blend = best_blend(gram, n, face, sign);
    if (blend.error < best.error) best = blend;
  }
  return best;
}

}  // namespace marrow::two_layer
