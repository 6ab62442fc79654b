// Patches of the mesh: input of the clusterings of the single-pass methods (merging.cpp, spectral.cpp).
#include "skeleton/patches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/polar.hpp"
#include "lbs/points.hpp"
#include "lbs/space.hpp"
#include "marrow/error.hpp"
#include "skeleton/merging.hpp"
#include "skeleton/spectral.hpp"

namespace marrow::skeleton {
namespace {

constexpr std::size_t most_patches = 300, most_frames = 32;

/// Farthest-point sampling. Fewer than `count` if the other points coincide with chosen ones.
std::vector<std::uint32_t> spread_points(const lbs::Points& points, std::size_t count) {
  std::vector<std::uint32_t> chosen{0};
  std::vector<double> nearest(points.count, std::numeric_limits<double>::infinity());
  while (chosen.size() < count) {
    const Eigen::Vector3d last = lbs::rest_of(points.rest, chosen.back());
    for (std::size_t i = 0; i < points.count; ++i) {
      nearest[i] = std::min(nearest[i], (lbs::rest_of(points.rest, i) - last).squaredNorm());
    }
    const auto furthest = std::ranges::max_element(nearest);
    if (*furthest == 0) break;
    chosen.push_back(std::uint32_t(furthest - nearest.begin()));
  }
  return chosen;
}

}  // namespace

Patches make_patches(const lbs::Space& space, const lbs::Points& points, const Neighbours& neighbours) {
  Patches patches;
  patches.seeds = spread_points(points, std::min(points.count, most_patches));
  constexpr std::uint32_t nobody = 0xFFFFFFFF;
  patches.of_point.assign(points.count, nobody);
  std::vector<std::uint32_t> queue;
  for (std::uint32_t s = 0; s < patches.seeds.size(); ++s) {
    if (patches.of_point[patches.seeds[s]] != nobody) continue;
    patches.of_point[patches.seeds[s]] = s;
    queue.push_back(patches.seeds[s]);
  }
  for (std::size_t head = 0; head < queue.size(); ++head) {
    for (const std::uint32_t v : neighbours.of(queue[head])) {
      if (patches.of_point[v] != nobody) continue;
      patches.of_point[v] = patches.of_point[queue[head]];
      queue.push_back(v);
    }
  }
  patches.members.resize(patches.seeds.size());
  patches.next.resize(patches.seeds.size());
  for (std::uint32_t i = 0; i < points.count; ++i) {
    if (patches.of_point[i] == nobody) {
      // Points of a shell without a seed: nearest seed in space.
      const auto distance = [&](std::uint32_t seed) {
        return (lbs::rest_of(points.rest, seed) - lbs::rest_of(points.rest, i)).squaredNorm();
      };
      const auto seed = std::ranges::min_element(patches.seeds, {}, distance);
      patches.of_point[i] = std::uint32_t(seed - patches.seeds.begin());
    }
    patches.members[patches.of_point[i]].push_back(i);
  }
  for (std::uint32_t i = 0; i < points.count; ++i) {
    for (const std::uint32_t u : neighbours.of(i)) {
      const std::uint32_t a = patches.of_point[i], b = patches.of_point[u];
      if (a != b) patches.next[a].push_back(b);
    }
  }
  for (auto& list : patches.next) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  const std::size_t used = std::min(space.frames, most_frames);
  for (std::size_t e = 0; e < used; ++e) patches.frames.push_back(e * space.frames / used);
  return patches;
}

Positions positions_of(const lbs::Space& space, const lbs::Points& points, const Patches& patches) {
  const auto count = Eigen::Index(points.count), rank = Eigen::Index(points.rank);
  Positions out;
  out.rest.resize(3, count);
  Eigen::MatrixXd reduced(rank, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto v = std::size_t(i);
    out.rest.col(i) = lbs::rest_of(points.rest, v);
    const double* c = points.block_coordinates(v / lbs::lanes) + v % lbs::lanes;
    for (Eigen::Index q = 0; q < rank; ++q) reduced(q, i) = c[std::size_t(q) * lbs::lanes];
  }
  for (const std::size_t t : patches.frames) {
    out.frames.emplace_back(space.basis.block(Eigen::Index(3 * t), 0, 3, rank) * reduced);
  }
  return out;
}

void RigidSums::add(const RigidSums& other) {
  count += other.count;
  rest += other.rest;
  rest_squared += other.rest_squared;
  for (std::size_t t = 0; t < frames.size(); ++t) {
    frames[t].product += other.frames[t].product;
    frames[t].sum += other.frames[t].sum;
    frames[t].squared += other.frames[t].squared;
  }
}

Eigen::Matrix3d RigidSums::rotation(std::size_t t) const {
  const Eigen::Matrix3d a = frames[t].product - frames[t].sum * rest.transpose() / count;
  return nearest_rotation(a, Eigen::Matrix3d::Identity());
}

double RigidSums::error() const {
  const double spread = rest_squared - rest.squaredNorm() / count;
  double sum = 0;
  for (std::size_t t = 0; t < frames.size(); ++t) {
    const Frame& f = frames[t];
    const Eigen::Matrix3d a = f.product - f.sum * rest.transpose() / count;
    sum += f.squared - f.sum.squaredNorm() / count + spread - 2 * (rotation(t).transpose() * a).trace();
  }
  return std::max(0.0, sum);
}

RigidSums sums_of(const Positions& positions, const std::vector<std::uint32_t>& members) {
  RigidSums sums;
  sums.frames.resize(positions.frames.size());
  for (const std::uint32_t i : members) {
    const Eigen::Vector3d p = positions.rest.col(i);
    sums.count += 1;
    sums.rest += p;
    sums.rest_squared += p.squaredNorm();
    for (std::size_t t = 0; t < sums.frames.size(); ++t) {
      const Eigen::Vector3d v = positions.frames[t].col(i);
      sums.frames[t].product += v * p.transpose();
      sums.frames[t].sum += v;
      sums.frames[t].squared += v.squaredNorm();
    }
  }
  return sums;
}

std::vector<std::uint32_t> cluster_points(SkeletonMethod method, const lbs::Space& space, const lbs::Points& points,
                                          const Neighbours& neighbours, std::size_t count, const Run& run) {
  const Patches patches = make_patches(space, points, neighbours);
  if (count > patches.count()) {
    throw Error(ErrorCode::bad_request, "bones",
                fmt::format("{} were asked for, but this method merges them from {} patches of the mesh; give "
                            "{} or fewer",
                            count, patches.count(), patches.count()));
  }
  const Positions positions = positions_of(space, points, patches);
  const std::vector<std::uint32_t> of_patch = method == SkeletonMethod::schaefer
                                                  ? merge_patches(patches, positions, count, run)
                                                  : spectral_clusters(method, patches, positions, count, run);
  std::vector<std::uint32_t> labels(points.count);
  for (std::size_t i = 0; i < points.count; ++i) labels[i] = of_patch[patches.of_point[i]];
  return labels;
}

}  // namespace marrow::skeleton
