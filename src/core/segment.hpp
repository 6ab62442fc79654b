#pragma once

#include <Eigen/Core>
#include <algorithm>

namespace marrow {

/// The line segment from a to b; may be a point.
struct Segment {
  Eigen::Vector3d a, b;

  double squared_distance(const Eigen::Vector3d& p) const {
    const Eigen::Vector3d along = b - a;
    const double length = along.squaredNorm();
    const double share = length > 0 ? std::clamp((p - a).dot(along) / length, 0.0, 1.0) : 0.0;
    return (p - a - share * along).squaredNorm();
  }
};

}  // namespace marrow
