#include "io/glb_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/check.hpp"

namespace marrow::glb {
namespace {

Eigen::Matrix3Xd to_matrix(std::span<const Vec3> points) {
  Eigen::Matrix3Xd out(3, static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    out.col(static_cast<Eigen::Index>(i)) << points[i].x, points[i].y, points[i].z;
  }
  return out;
}

/// Points on a line, or all in one place, leave a rotation open.
bool spans_a_plane(const Eigen::Matrix3Xd& points) {
  const Eigen::Matrix3Xd centered = points.colwise() - points.rowwise().mean();
  const Eigen::Matrix3d covariance = centered * centered.transpose();
  const Eigen::Vector3d spread = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(covariance).eigenvalues();
  return spread[1] > 1e-10 * spread[2];
}

bool is_identity(const Affine& a, double extent) {
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      const double tolerance = column == 3 ? 1e-5 * extent : 1e-5;
      if (!(std::abs(a(row, column) - (row == column ? 1 : 0)) <= tolerance)) return false;
    }
  }
  return true;
}

}  // namespace

bool is_invertible(const Affine& a) {
  if (!is_finite(a)) return false;
  Eigen::Matrix3d linear;
  linear << a(0, 0), a(0, 1), a(0, 2), a(1, 0), a(1, 1), a(1, 2), a(2, 0), a(2, 1), a(2, 2);
  const Eigen::Vector3d stretch = Eigen::JacobiSVD<Eigen::Matrix3d>(linear).singularValues();
  return stretch[2] > 1e-6 * stretch[0] && std::isfinite(1 / determinant(a));
}

Affine fit_similarity(std::span<const Vec3> from, std::span<const Vec3> to) {
  if (from.size() < 3 || first_not_finite(from) != from.size() || first_not_finite(to) != to.size()) return {};
  const Eigen::Matrix3Xd source = to_matrix(from), target = to_matrix(to);
  if (!spans_a_plane(source) || !spans_a_plane(target)) return {};
  const Eigen::Matrix4d fit = Eigen::umeyama(source, target, true);
  Affine out;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 4; ++column) {
      out(static_cast<std::size_t>(row), static_cast<std::size_t>(column)) = fit(row, column);
    }
  }
  const double extent = std::max(source.cwiseAbs().maxCoeff(), target.cwiseAbs().maxCoeff());
  return !is_invertible(out) || is_identity(out, extent) ? Affine{} : out;
}

}  // namespace marrow::glb
