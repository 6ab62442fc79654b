#pragma once

#include <Eigen/Core>
#include <span>

#include "marrow/render.hpp"

namespace marrow {

/// A point in the picture. `nearness` is proportional to 1 / distance, and therefore linear across a plane in the
/// picture.
struct ScreenPoint {
  double x, y;
  double nearness;
};

/// A pinhole camera. View space: origin in the eye, x right, y up, z backwards.
class Camera {
 public:
  /// Looks from `options.view`; `points` fill the picture up to a margin.
  Camera(const RenderOptions& options, std::span<const Vec3> points);

  Eigen::Vector3d to_view(const Vec3& p) const;
  /// World direction to view space.
  Eigen::Vector3d turn(const Eigen::Vector3d& direction) const { return axes_ * direction; }
  /// View space point to world.
  Eigen::Vector3d to_world(const Eigen::Vector3d& p) const { return axes_.transpose() * p + eye_; }
  bool in_front(const Eigen::Vector3d& view) const { return -view.z() >= near_; }
  double near_distance() const { return near_; }
  /// Projects a view space point that is in_front().
  ScreenPoint project(const Eigen::Vector3d& view) const;
  /// View space direction through a point of the picture, with z = -1.
  Eigen::Vector3d ray(double x, double y) const;
  /// Pixels per unit at distance 1.
  double focal() const { return focal_; }

 private:
  void fit(std::span<const Vec3> points, const Eigen::Vector2d& slopes);

  Eigen::Matrix3d axes_;  // rows: right, up, back
  Eigen::Vector3d eye_;
  Eigen::Vector2d center_;
  double focal_;
  double distance_ = 1;  // to the centre of what the view shows; its nearness is 1
  double near_ = 0;
};

}  // namespace marrow
