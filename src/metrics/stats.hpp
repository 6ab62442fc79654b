#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "marrow/math.hpp"
#include "marrow/metrics.hpp"

namespace marrow {

/// |b - a| as float, clamped to the largest float.
inline float distance(const Vec3& a, const Vec3& b) {
  const double x = double(b.x) - a.x, y = double(b.y) - a.y, z = double(b.z) - a.z;
  return float(std::min(std::sqrt(x * x + y * y + z * z), double(std::numeric_limits<float>::max())));
}

/// All figures of a set of distances. Percentiles by nearest rank: of n sorted values, number ceil(n p / 100). Reorders
/// the distances.
ErrorStats error_stats(std::span<float> distances);

}  // namespace marrow
