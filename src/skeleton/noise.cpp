#include "skeleton/noise.hpp"

#include <numeric>

#include "lbs/points.hpp"
#include "lbs/space.hpp"

namespace marrow::skeleton {
namespace {

/// A coordinate is noise if neighbours share less than this part of it. (For noise the share is 0 within a few percent;
/// for the last coordinates of captured motion a third to nine tenths.)
constexpr double least_common = 0.25;

/// Correlation of coordinate q between neighbours: sum_i c_i mean(c of neighbours) / sum_i c_i^2.
double common_share(const Neighbours& neighbours, const lbs::Points& points, std::size_t q) {
  const auto coordinate = [&](std::size_t i) {
    return points.block_coordinates(i / lbs::lanes)[q * lbs::lanes + i % lbs::lanes];
  };
  double common = 0, all = 0;
  for (std::size_t i = 0; i < points.count; ++i) {
    const auto near = neighbours.of(i);
    if (near.empty()) continue;
    double sum = 0;
    for (const std::uint32_t u : near) sum += coordinate(u);
    common += coordinate(i) * sum / double(near.size());
    all += coordinate(i) * coordinate(i);
  }
  return all > 0 ? common / all : 1;
}

double squared(const lbs::Points& points) {
  return std::accumulate(points.squared.begin(), points.squared.begin() + std::ptrdiff_t(points.count), 0.0);
}

}  // namespace

MeasuredNoise measure_noise(const Neighbours& neighbours, const lbs::Points& points) {
  std::size_t rank = points.rank;
  while (rank > 1 && common_share(neighbours, points, rank - 1) < least_common) --rank;
  if (rank == points.rank || rank >= points.count) return {points.rank, 0};
  // Degrees of freedom: the first k columns of the basis fit k (n + m - k) of n x m values of noise.
  const auto n = double(points.count), m = double(points.rank), k = double(rank);
  return {rank, (squared(points) - squared(lbs::truncated(points, rank))) / ((n - k) * (m - k))};
}

void drop_noise(const Neighbours& neighbours, lbs::Space& space, lbs::Points& points) {
  const MeasuredNoise noise = measure_noise(neighbours, points);
  if (noise.variance == 0) return;
  const auto n = double(points.count), m = double(points.rank), k = double(noise.first);
  space = space.within(space.dropped[Eigen::Index(noise.first)]);
  space.noise = noise.variance * (n + m - k) / n;
  points = lbs::truncated(points, noise.first);
}

double noise_left(const lbs::Space& space, const lbs::Points& points) {
  return lbs::e_rms(space.noise * double(points.rank * points.count), points.count, space.frames);
}

}  // namespace marrow::skeleton
