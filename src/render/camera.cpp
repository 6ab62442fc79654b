#include "render/camera.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

namespace marrow {
namespace {

/// Directions of the camera: towards the eye, and up in the picture.
struct Stand {
  Eigen::Vector3d back, up;
};

Stand stand(View view) {
  using V = Eigen::Vector3d;
  switch (view) {
    case View::front:
      return {V(0, 0, 1), V(0, 1, 0)};
    case View::back:
      return {V(0, 0, -1), V(0, 1, 0)};
    case View::left:
      return {V(-1, 0, 0), V(0, 1, 0)};
    case View::right:
      return {V(1, 0, 0), V(0, 1, 0)};
    case View::top:
      return {V(0, 1, 0), V(0, 0, -1)};
    case View::quarter:
      break;
  }
  // 38 degrees to the right and 20 above.
  return {V(0.58, 0.34, 0.74), V(0, 1, 0)};
}

Eigen::Vector3d to_eigen(const Vec3& p) {
  return {p.x, p.y, p.z};
}

}  // namespace

Camera::Camera(const RenderOptions& options, std::span<const Vec3> points)
    : center_(options.width / 2.0, options.height / 2.0),
      // A long lens (26 degrees): little perspective distortion.
      focal_(2.2 * std::max(options.width, options.height)) {
  const Stand s = stand(options.view);
  axes_.row(2) = s.back.normalized();
  axes_.row(0) = s.up.cross(s.back).normalized();
  axes_.row(1) = axes_.row(2).cross(axes_.row(0));
  constexpr double margin = 0.05;
  const double border = margin * std::min(options.width, options.height);
  fit(points, (center_.array() - border).matrix() / focal_);
}

void Camera::fit(std::span<const Vec3> points, const Eigen::Vector2d& slopes) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Eigen::Vector3d low = Eigen::Vector3d::Constant(infinity), high = -low;
  // A point is in the picture if |x - eye.x| <= slope * (eye.z - z), and likewise for y. The maxima of (+-x, +-y) +
  // slope * z determine the position of the eye.
  Eigen::Vector2d right = Eigen::Vector2d::Constant(-infinity), left = right;
  for (const Vec3& p : points) {
    const Eigen::Vector3d v = axes_ * to_eigen(p);
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
    right = right.cwiseMax(v.head<2>() + slopes * v.z());
    left = left.cwiseMax(slopes * v.z() - v.head<2>());
  }
  if (points.empty()) {
    low.setZero();
    high.setZero();
    left.setZero();
    right.setZero();
  }
  const double size = (high - low).norm();
  const double unit = size > 0 ? size : 1;
  // No nearer than the size: long thin objects would be seen from inside.
  const double z = std::max(((right + left).array() / (2 * slopes.array())).maxCoeff(), high.z() + unit);
  eye_ = axes_.transpose() * Eigen::Vector3d((right.x() - left.x()) / 2, (right.y() - left.y()) / 2, z);
  distance_ = z - (low.z() + high.z()) / 2;
  near_ = (z - high.z()) / 20;
}

Eigen::Vector3d Camera::to_view(const Vec3& p) const {
  return axes_ * (to_eigen(p) - eye_);
}

ScreenPoint Camera::project(const Eigen::Vector3d& view) const {
  const double scale = focal_ / -view.z();
  return {center_.x() + scale * view.x(), center_.y() - scale * view.y(), distance_ / -view.z()};
}

Eigen::Vector3d Camera::ray(double x, double y) const {
  return {(x - center_.x()) / focal_, (center_.y() - y) / focal_, -1};
}

}  // namespace marrow
