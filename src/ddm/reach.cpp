// Le et al. 2021, Section 6: smoothing parameters are tuned "using the distances from the vertices to the associated
// bone". Here a formula: diffusion whose standard deviation is a factor times that distance.
#include "ddm/reach.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/eigen_affine.hpp"
#include "core/segment.hpp"

namespace marrow::ddm {
namespace {

/// M is at most the Laplacian's diagonal / least_strength: finite also where reach or lambda is 0; such a point keeps
/// its value to 1e-9.
constexpr double least_strength = 1e-9;
constexpr double least_distance = 1e-3;  // of the size
constexpr int averaging_rounds = 10;

/// Bones as line segments at rest, relative to the surface's centre.
std::vector<std::vector<Segment>> bone_segments(const Rig& rig, const WeldedSurface& surface,
                                                const std::vector<std::uint32_t>& main) {
  const Skeleton& skeleton = rig.skeleton;
  const auto joint = [&](std::size_t j) -> Point { return translation_part(skeleton.bind[j]) - surface.middle; };
  // Ignores bones that move no vertices and have no descendants that do (targets, cameras).
  std::vector<bool> moves(skeleton.bones(), false);
  for (const std::uint32_t j : main) moves[j] = true;
  std::vector<std::vector<Segment>> segments(skeleton.bones());
  for (std::size_t j = skeleton.bones(); j-- > 0;) {
    const std::int32_t parent = skeleton.parents[j];
    if (parent >= 0 && moves[j]) {
      const auto p = std::size_t(parent);
      moves[p] = true;
      segments[p].push_back({joint(p), joint(j)});
    }
  }
  std::vector<Point> sums(skeleton.bones(), Point::Zero());
  std::vector<double> counts(skeleton.bones(), 0);
  for (std::size_t i = 0; i < surface.count(); ++i) {
    sums[main[i]] += surface.points[i];
    ++counts[main[i]];
  }
  for (std::size_t j = 0; j < skeleton.bones(); ++j) {
    if (!segments[j].empty()) continue;
    const Point end = counts[j] > 0 ? Point(2 * sums[j] / counts[j] - joint(j)) : joint(j);
    segments[j].push_back({joint(j), end});
  }
  return segments;
}

const std::vector<float>& map_of(const DdmOptions& options, Part part) {
  return part == Part::rotation ? options.maps.rotation : options.maps.translation;
}

}  // namespace

std::vector<std::uint32_t> main_bones(const Rig& rig, const WeldedSurface& surface) {
  std::vector<std::uint32_t> main(surface.count());
  for (std::size_t i = 0; i < surface.count(); ++i) {
    const auto values = rig.weights.row_values(surface.vertex_of[i]);
    main[i] =
        rig.weights.row_bones(surface.vertex_of[i])[std::size_t(std::ranges::max_element(values) - values.begin())];
  }
  return main;
}

Eigen::VectorXd bone_distances(const Rig& rig, const WeldedSurface& surface, const SparseMatrix& laplacian) {
  const std::vector<std::uint32_t> main = main_bones(rig, surface);
  const std::vector<std::vector<Segment>> segments = bone_segments(rig, surface, main);
  Eigen::VectorXd distances(Eigen::Index(surface.count()));
  for (std::size_t i = 0; i < surface.count(); ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const Segment& s : segments[main[i]])
      nearest = std::min(nearest, std::sqrt(s.squared_distance(surface.points[i])));
    distances[Eigen::Index(i)] = nearest;
  }
  distances = distances.cwiseMax(least_distance * surface.size);
  // Averages with the neighbours a few times: x - D^-1 L x / 2.
  const Eigen::VectorXd diagonal = laplacian.diagonal().cwiseMax(std::numeric_limits<double>::min());
  for (int round = 0; round < averaging_rounds; ++round) {
    distances -= 0.5 * (laplacian * distances).cwiseQuotient(diagonal);
  }
  return distances;
}

Eigen::VectorXd smoothing_mass(const Rig& rig, const WeldedSurface& surface, const SparseMatrix& laplacian,
                               const DdmOptions& options, Part part) {
  const bool rotation = part == Part::rotation;
  Eigen::VectorXd factors = Eigen::VectorXd::Ones(Eigen::Index(surface.count()));
  if (const std::vector<float>& map = map_of(options, part); !map.empty()) {
    for (std::size_t i = 0; i < surface.count(); ++i) {
      factors[Eigen::Index(i)] = map[surface.vertex_of[i]];
    }
  }
  // A point without neighbours keeps its value for any mass.
  const Eigen::VectorXd diagonal =
      (laplacian.diagonal().array() > 0).select(laplacian.diagonal().array(), 1.0).matrix();
  const Eigen::VectorXd most = diagonal / least_strength;
  if (options.smoothing == DdmSmoothing::uniform) {
    const double strength = rotation ? options.lambda : options.kappa;
    return diagonal.cwiseQuotient(strength * factors).cwiseMin(most);
  }
  const double reach = rotation ? options.rotation_reach : options.translation_reach;
  const Eigen::VectorXd deviation = (reach * factors).cwiseProduct(bone_distances(rig, surface, laplacian));
  const Eigen::VectorXd time = deviation.cwiseAbs2() / (2.0 * options.steps);
  return point_areas(surface).cwiseQuotient(time).cwiseMin(most);
}

}  // namespace marrow::ddm
