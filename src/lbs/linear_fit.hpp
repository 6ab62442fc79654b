#pragma once

#include <Eigen/Dense>

#include "marrow/bone_kind.hpp"

namespace marrow::lbs {

/// Limit if none is given. Bones with larger factors would cancel in the sums that errors are computed from, and leave
/// no digits.
constexpr double widest_limit = 1000;

/// Allowed transforms of a bone.
struct BoneModel {
  BoneKind kind = BoneKind::rigid;
  double limit = widest_limit;  ///< singular values are within [1 / limit, limit]
};

inline BoneModel model_of(BoneKind kind, double conditioning) {
  return {kind, conditioning > 0 ? conditioning : widest_limit};
}

/// The linear map L of the given kind that minimises tr(L P L^T) - 2 tr(L A^T), with P symmetric positive
/// semi-definite. Starts from `start`, a map of this kind; the result is never worse. `axes`: columns, for stretching
/// bones.
Eigen::Matrix3d fit_linear(const BoneModel& model, const Eigen::Matrix3d& a, const Eigen::Matrix3d& p,
                           const Eigen::Matrix3d& axes, const Eigen::Matrix3d& start);

}  // namespace marrow::lbs
