#include "lbs/linear_fit.hpp"

#include <algorithm>
#include <cmath>

#include "core/factor.hpp"
#include "core/polar.hpp"

namespace marrow::lbs {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

double clamp_scale(const BoneModel& model, double s) {
  return std::clamp(s, 1 / model.limit, model.limit);
}

/// Whether all singular values are within the limit, from bounds that need none of them: with f = |L|^2,
/// s1 <= sqrt(f) and s3 >= 2 det / f, where L is not 0.
bool surely_within(const BoneModel& model, const Matrix3d& l) {
  const double f = l.squaredNorm();
  return f <= model.limit * model.limit && 2 * l.determinant() > f / model.limit;
}

/// The nearest map whose singular values are within the limit and whose determinant is positive.
Matrix3d limit_singular_values(const BoneModel& model, const Matrix3d& l) {
  if (surely_within(model, l)) return l;
  // A mirrored map is turned over in its weakest direction; so is a flat one, whose weakest has no sign of its own.
  SignedSvd svd = signed_svd(l);
  for (double& s : svd.s) s = clamp_scale(model, s);
  return svd.u * svd.s.asDiagonal() * svd.v.transpose();
}

Matrix3d fit_scaled(const BoneModel& model, const Matrix3d& a, const Matrix3d& p, const Matrix3d& start) {
  const double from = std::cbrt(std::max(1e-30, start.determinant()));
  const Matrix3d r = nearest_rotation(a, start / from);
  const double spread = p.trace();
  const double s = spread > 0 ? (r.transpose() * a).trace() / spread : 1;
  return clamp_scale(model, s) * r;
}

/// L = R diag(s) U^T with U the axes: R and s in turn.
Matrix3d fit_stretched(const BoneModel& model, const Matrix3d& a, const Matrix3d& p, const Matrix3d& axes,
                       const Matrix3d& start) {
  const Matrix3d turned = a * axes, spread = axes.transpose() * p * axes;
  const Matrix3d columns = start * axes;
  Vector3d s = columns.colwise().norm();
  Matrix3d r = columns * s.cwiseInverse().asDiagonal();
  for (int pass = 0; pass < 3; ++pass) {
    r = nearest_rotation(turned * s.asDiagonal(), r);
    for (int k = 0; k < 3; ++k) {
      if (spread(k, k) > 0) s[k] = clamp_scale(model, r.col(k).dot(turned.col(k)) / spread(k, k));
    }
  }
  return r * s.asDiagonal() * axes.transpose();
}

double cost(const Matrix3d& l, const Matrix3d& a, const Matrix3d& p) {
  return (l * p).cwiseProduct(l).sum() - 2 * l.cwiseProduct(a).sum();
}

Matrix3d fit_flexible(const BoneModel& model, const Matrix3d& a, const Matrix3d& p, const Matrix3d& start) {
  // Directions without spread stay as they are. (The trace of nothing but rounding may be anything.)
  if (!(p.trace() > 0)) return start;
  const double ridge = 1e-7 * p.trace() + 1e-300;
  const Matrix3d damped = p + ridge * Matrix3d::Identity();
  Matrix3d free = damped.ldlt().solve((a + ridge * start).transpose()).transpose();
  if (!free.allFinite()) return start;
  Matrix3d best = limit_singular_values(model, free);
  if (best == free) return free;
  // The set is not convex and P is not the identity: a few projected gradient steps, and never worse than before.
  const double step = 1 / p.trace();
  double least = cost(best, a, p);
  for (int pass = 0; pass < 8; ++pass) {
    const Matrix3d next = limit_singular_values(model, best - step * (best * p - a));
    const double value = cost(next, a, p);
    if (!(value < least)) break;
    best = next;
    least = value;
  }
  return least <= cost(start, a, p) ? best : start;
}

}  // namespace

Matrix3d fit_linear(const BoneModel& model, const Matrix3d& a, const Matrix3d& p, const Matrix3d& axes,
                    const Matrix3d& start) {
  switch (model.kind) {
    case BoneKind::scale:
      return fit_scaled(model, a, p, start);
    case BoneKind::stretch:
      return fit_stretched(model, a, p, axes, start);
    case BoneKind::flexible:
      return fit_flexible(model, a, p, start);
    case BoneKind::rigid:
      break;
  }
  return nearest_rotation(a, start);
}

}  // namespace marrow::lbs
