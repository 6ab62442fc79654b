#include "io/glb_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/eigen_affine.hpp"
#include "core/factor.hpp"

namespace marrow::glb {
namespace {

Eigen::Matrix3Xd to_matrix(std::span<const Vec3> points) {
  Eigen::Matrix3Xd out(3, Eigen::Index(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    out.col(Eigen::Index(i)) << points[i].x, points[i].y, points[i].z;
  }
  return out;
}

/// Collinear points do not determine a rotation.
bool spans_a_plane(const Eigen::Matrix3Xd& points) {
  const Eigen::Matrix3Xd centered = points.colwise() - points.rowwise().mean();
  const Eigen::Matrix3d covariance = centered * centered.transpose();
  const Eigen::Vector3d spread = spectrum(covariance).values;
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
  const Eigen::Vector3d stretch = signed_svd(linear_part(a)).s;
  return std::abs(stretch[2]) > 1e-6 * stretch[0] && std::isfinite(1 / determinant(a));
}

Affine fit_similarity(std::span<const Vec3> from, std::span<const Vec3> to) {
  if (from.size() < 3 || first_not_finite(from) != from.size() || first_not_finite(to) != to.size()) return {};
  const Eigen::Matrix3Xd source = to_matrix(from), target = to_matrix(to);
  if (!spans_a_plane(source) || !spans_a_plane(target)) return {};
  // Umeyama 1991: rotation by SVD, then the scale.
  const Eigen::Vector3d source_middle = source.rowwise().mean(), target_middle = target.rowwise().mean();
  const Eigen::Matrix3Xd centred = source.colwise() - source_middle;
  const SignedSvd svd = signed_svd((target.colwise() - target_middle) * centred.transpose());
  const Eigen::Matrix3d linear = svd.s.sum() / centred.squaredNorm() * svd.u * svd.v.transpose();
  const Affine out = to_affine(linear, target_middle - linear * source_middle);
  const double extent = std::max(source.cwiseAbs().maxCoeff(), target.cwiseAbs().maxCoeff());
  return !is_invertible(out) || is_identity(out, extent) ? Affine{} : out;
}

}  // namespace marrow::glb
