#pragma once

#include "ddm_compression/fit.hpp"

namespace marrow::ddm_compression {

/// The ten entries of a symmetric 4 x 4 matrix, row by row: (0, 0), (0, 1), ..., (3, 3).
constexpr int entries = 10;

/// d(R^T T) by every entry of every multi-weight, in one pose, times `right`: 12 rows (3 x 4, row by row), ten columns
/// per multi-weight. T = [R | t] is the bone's transform in coordinates about its centre and in parts of `unit`; R^T
/// turns what is left, which changes no length.
void derivative(const PoseSet& poses, std::size_t pose, const VirtualBone& bone, double unit, const Matrix4& right,
                Eigen::Ref<Eigen::MatrixXf> out, RowTransform& at);

/// Adds `step`, ten entries per multi-weight in parts of `unit`. False where what comes out is no valid bone: weights
/// that do not stay positive, or roundness below least_spread.
bool take_step(VirtualBone& bone, double unit, const Eigen::VectorXd& step);

/// Damping of every bone, kept from one round to the next.
struct Damping {
  std::vector<double> values;
};

/// One step of Gauss-Newton for every virtual bone, one after the other (those that share no points at once): each
/// changes its multi-weights so that the true error of its points falls. Steps that do not lower it are not taken.
void refine_bones(const Points& points, const PoseExamples& examples, std::span<const double> mass, Damping& damping,
                  Fit& fit, const Run& run);

}  // namespace marrow::ddm_compression
