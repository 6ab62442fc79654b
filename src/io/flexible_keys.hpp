#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <span>
#include <vector>

#include "io/affine_keys.hpp"

namespace marrow {

/// A = U diag(S) V^T with proper rotations U and V. S carries the sign of det A and may contain zeros.
struct Stretch {
  Eigen::Quaterniond u;
  Eigen::Vector3d s;
  Eigen::Quaterniond v;

  Eigen::Matrix3d matrix() const { return u.toRotationMatrix() * s.asDiagonal() * v.toRotationMatrix().transpose(); }
};

/// M_k = stretches[k] D for every k, D = diag(inner_scale).
struct StretchTrack {
  Eigen::Vector3d inner_scale;
  std::vector<Stretch> stretches;
};

/// Decomposes every matrix; among equivalent decompositions it takes those that interpolate smoothly within each run.
StretchTrack decompose_smoothly(std::span<const Eigen::Matrix3d> matrices, std::span<const KeyRun> runs);

}  // namespace marrow
