#pragma once

#include "core/neighbours.hpp"
#include "lbs/points.hpp"
#include "lbs/space.hpp"
#include "marrow/skeleton.hpp"

namespace marrow::skeleton {

/// Small pieces of the mesh that the single-pass methods cluster.
struct Patches {
  std::vector<std::uint32_t> of_point;              ///< patch of each point
  std::vector<std::vector<std::uint32_t>> members;  ///< points of each patch
  std::vector<std::vector<std::uint32_t>> next;     ///< adjacent patches, ascending
  std::vector<std::size_t> frames;                  ///< frames used: all, or some at equal steps
  std::vector<std::uint32_t> seeds;                 ///< centre point of each patch

  std::size_t count() const { return members.size(); }
};
Patches make_patches(const lbs::Space& space, const lbs::Points& points, const Neighbours& neighbours);

/// Positions of all points in these frames and at rest, in the solver's space.
struct Positions {
  std::vector<Eigen::Matrix3Xd> frames;  ///< per frame, 3 x points
  Eigen::Matrix3Xd rest;
};
Positions positions_of(const lbs::Space& space, const lbs::Points& points, const Patches& patches);

/// Cluster (0 to count - 1) of each point by the method's clustering; none is empty. Throws Error{bad_request} if there
/// are fewer patches than `count`.
std::vector<std::uint32_t> cluster_points(SkeletonMethod method, const lbs::Space& space, const lbs::Points& points,
                                          const Neighbours& neighbours, std::size_t count, const Run& run);

/// Sums over points from which the best rigid motion per frame and its residual follow.
struct RigidSums {
  double count = 0, rest_squared = 0;
  Eigen::Vector3d rest = Eigen::Vector3d::Zero();
  struct Frame {
    Eigen::Matrix3d product = Eigen::Matrix3d::Zero();  ///< sum of v p^T
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    double squared = 0;
  };
  std::vector<Frame> frames;

  void add(const RigidSums& other);
  /// Sum of squared residuals under the best rotations and translations.
  double error() const;
  Eigen::Matrix3d rotation(std::size_t t) const;
};
RigidSums sums_of(const Positions& positions, const std::vector<std::uint32_t>& members);

}  // namespace marrow::skeleton
