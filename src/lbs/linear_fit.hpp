#pragma once

#include <Eigen/Dense>

#include "marrow/bone_kind.hpp"

namespace marrow::lbs {

/// The limit where none is asked for: bones that grow further against each other would cancel in the sums that errors
/// are computed from, until nothing of the error is left.
constexpr double widest_limit = 1000;

/// What a bone's transforms may be.
struct BoneModel {
  BoneKind kind = BoneKind::rigid;
  double limit = widest_limit;  ///< singular values stay within [1 / limit, limit]
};

inline BoneModel model_of(BoneKind kind, double conditioning) {
  return {kind, conditioning > 0 ? conditioning : widest_limit};
}

/// The linear map L of the given kind with the least tr(L P L^T) - 2 tr(L A^T); P symmetric, positive semi-definite.
/// `start`: a map of this kind to begin with, never left for a worse one. `axes`: what a stretching bone stretches
/// along, as columns.
Eigen::Matrix3d fit_linear(const BoneModel& model, const Eigen::Matrix3d& a, const Eigen::Matrix3d& p,
                           const Eigen::Matrix3d& axes, const Eigen::Matrix3d& start);

}  // namespace marrow::lbs
