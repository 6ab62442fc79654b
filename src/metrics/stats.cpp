#include "metrics/stats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.hpp"

namespace marrow {

ErrorStats error_stats(std::span<float> distances) {
  if (distances.empty()) return {};
  const std::size_t n = distances.size();
  ErrorStats stats;
  double squares = 0;
  for (const float d : distances) squares += double(d) * d;
  stats.rms = std::sqrt(squares / double(n));
  stats.max = *std::ranges::max_element(distances);
  // From the median outwards: each percentile leaves a smaller part to search.
  const auto place = [&](std::size_t percent) { return (n * percent + 99) / 100 - 1; };
  const auto percentile = [&](std::size_t percent, std::size_t begin, std::size_t end) {
    const std::span<float> part = distances.subspan(begin, end - begin);
    const auto nth = part.begin() + std::ptrdiff_t(place(percent) - begin);
    std::nth_element(part.begin(), nth, part.end());
    return double(*nth);
  };
  stats.median = percentile(50, 0, n);
  stats.q25 = percentile(25, 0, place(50) + 1);
  stats.q75 = percentile(75, place(50), n);
  stats.p95 = percentile(95, place(75), n);
  stats.p99 = percentile(99, place(95), n);
  return stats;
}

std::vector<float> vertex_errors(std::span<const Vec3> original, std::span<const Vec3> approximation) {
  require(original.size() == approximation.size(), "vertex_errors", [&] {
    return fmt::format("the original has {} vertices, but the approximation {}", original.size(), approximation.size());
  });
  std::vector<float> errors(original.size());
  std::ranges::transform(original, approximation, errors.begin(), distance);
  return errors;
}

}  // namespace marrow
