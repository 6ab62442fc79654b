// Le & Deng 2012 (SSDR), Eqs. (9) and (10): the rotation of one bone by SVD. Differs: Newton steps from the last
// rotation, a correct determinant for reflections, and other kinds of bones with limited singular values.
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

/// Whether all singular values are certainly within the limit. With f = |L|^2: s1 <= sqrt(f) and, if det > 0, s3 >= 2
/// det / f.
bool surely_within(const BoneModel& model, const Matrix3d& l) {
  const double f = l.squaredNorm();
  return f <= model.limit * model.limit && 2 * l.determinant() > f / model.limit;
}

/// The nearest map with singular values within the limit and positive determinant.
Matrix3d limit_singular_values(const BoneModel& model, const Matrix3d& l) {
  if (surely_within(model, l)) return l;
  // Reflections and singular maps change sign in their weakest direction.
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

/// L = R diag(s) U^T with the axes U: alternates R and s.
Matrix3d fit_stretched(const BoneModel& model, const Matrix3d& a, const Matrix3d& p, const Matrix3d& axes,
                       const Matrix3d& start) {
  const Matrix3d turned = a * axes, spread = axes.transpose() * p * axes;
  const Matrix3d columns = start * axes;
  Vector3d s = columns.colwise().norm();
  Matrix3d r = columns * s.cwiseInverse().asDiagonal();
  for (int pass = 0; pass < 3; ++pass) {
    r = nearest_rotation(turned * s.asDiagonal(), r);
    for (int c = 0; c < 3; ++c) {
      if (spread(c, c) > 0) s[c] = clamp_scale(model, r.col(c).dot(turned.col(c)) / spread(c, c));
    }
  }
  return r * s.asDiagonal() * axes.transpose();
}

double cost(const Matrix3d& l, const Matrix3d& a, const Matrix3d& p) {
  return (l * p).cwiseProduct(l).sum() - 2 * l.cwiseProduct(a).sum();
}

Matrix3d fit_flexible(const BoneModel& model, const Matrix3d& a, const Matrix3d& p, const Matrix3d& start) {
  // Directions without spread keep their map. (The trace may be a rounding error.)
  if (!(p.trace() > 0)) return start;
  const double ridge = 1e-7 * p.trace() + 1e-300;
  const Matrix3d damped = p + ridge * Matrix3d::Identity();
  Matrix3d free = damped.ldlt().solve((a + ridge * start).transpose()).transpose();
  if (!free.allFinite()) return start;
  Matrix3d best = limit_singular_values(model, free);
  if (best == free) return free;
  // The set is not convex and P is not the identity: takes a few projected gradient steps while the cost falls.
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
