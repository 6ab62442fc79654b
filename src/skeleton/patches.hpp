#pragma once

#include "core/neighbours.hpp"
#include "lbs/points.hpp"
#include "lbs/space.hpp"
#include "marrow/skeleton.hpp"

namespace marrow::skeleton {

/// Small pieces of the mesh that the clusterings of the single-pass methods put together.
struct Patches {
  std::vector<std::uint32_t> of_point;              ///< which patch a point belongs to
  std::vector<std::vector<std::uint32_t>> members;  ///< points
  std::vector<std::vector<std::uint32_t>> next;     ///< patches beside it, rising
  std::vector<std::size_t> frames;                  ///< that are looked at: all, or some, evenly spread
  std::vector<std::uint32_t> seeds;                 ///< the point in the middle of each

  std::size_t count() const { return members.size(); }
};
Patches make_patches(const lbs::Space& space, const lbs::Points& points, const Neighbours& neighbours);

/// Positions of every point in the frames of the patches, and at rest, in the solver's space.
struct Positions {
  std::vector<Eigen::Matrix3Xd> frames;  ///< per frame looked at, 3 x points
  Eigen::Matrix3Xd rest;
};
Positions positions_of(const lbs::Space& space, const lbs::Points& points, const Patches& patches);

/// Which of `count` clusters each point belongs to, by the method's own clustering; none is empty.
/// Throws Error{bad_request} where there are fewer patches.
std::vector<std::uint32_t> cluster_points(SkeletonMethod method, const lbs::Space& space, const lbs::Points& points,
                                          const Neighbours& neighbours, std::size_t count, const Run& run);

/// The same for patches, of which there are enough; merging.cpp and spectral.cpp.
std::vector<std::uint32_t> merge_patches(const Patches& patches, const Positions& positions, std::size_t count,
                                         const Run& run);
std::vector<std::uint32_t> spectral_clusters(SkeletonMethod method, const Patches& patches, const Positions& positions,
                                             std::size_t count, const Run& run);

/// Sums over points that give their best rigid motion and what it leaves, frame by frame.
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
  /// Sum of squared residuals of the best rotations and translations.
  double error() const;
  Eigen::Matrix3d rotation(std::size_t t) const;
};
RigidSums sums_of(const Positions& positions, const std::vector<std::uint32_t>& members);

}  // namespace marrow::skeleton
