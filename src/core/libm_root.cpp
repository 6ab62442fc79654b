// Roots: an approximation in doubles, then one step of Newton from its exact residual.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/double_pair.hpp"
#include "core/libm.hpp"

namespace marrow::libm {

double cbrt(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = 0;
  double m = std::frexp(std::abs(x), &exponent);
  const int third = (exponent + 3000) / 3 - 1000;
  m = std::ldexp(m, exponent - 3 * third);  // 1/2 to 4
  double y = 0.6 + m * (0.4 - 0.033 * m);
  for (int k = 0; k < 3; ++k) {  // Halley's
    const double cube = y * y * y;
    y *= (cube + 2 * m) / (2 * cube + m);
  }
  const DoublePair cube = exact_product(y, y) * DoublePair{y};
  y += ((m - cube.high) - cube.low) / (3 * y * y);
  return std::copysign(std::ldexp(y, third), x);
}

double hypot(double x, double y, double z) {
  if (std::isinf(x) || std::isinf(y) || std::isinf(z)) return std::numeric_limits<double>::infinity();
  if (x != x || y != y || z != z) return std::numeric_limits<double>::quiet_NaN();
  const double largest = std::max({std::abs(x), std::abs(y), std::abs(z)});
  if (largest == 0) return 0;
  // Away from where squares overflow, or lose what counts.
  const double unit = largest > 0x1p480 ? 0x1p600 : largest < 0x1p-420 ? 0x1p-600 : 1;
  const double u = x / unit, v = y / unit, w = z / unit;
  const DoublePair square = exact_product(u, u) + exact_product(v, v) + exact_product(w, w);
  const double h = std::sqrt(square.high);
  const DoublePair back = exact_product(h, h);
  return unit * (h + ((square.high - back.high) - back.low + square.low) / (2 * h));
}

}  // namespace marrow::libm
