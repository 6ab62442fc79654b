#pragma once

#include "ddm_compression/fit.hpp"
#include "ddm_compression/pose_examples.hpp"

namespace marrow::ddm_compression {

/// Entries of a symmetric 4 x 4 matrix, upper triangle by rows: (0, 0), (0, 1), ..., (3, 3).
constexpr int entries = 10;

/// Derivative of R^T T by every entry of every multi-weight in one pose, times `right`: 12 rows (3 x 4, by rows), ten
/// columns per multi-weight. T = [R | t] is about the bone's centre, in units of `unit`. Multiplying by R^T keeps
/// lengths.
void derivative(const PoseSet& poses, std::size_t pose, const VirtualBone& bone, double unit, const Matrix4& right,
                Eigen::Ref<Eigen::MatrixXf> out, RowTransform& at);

/// Adds `step`, ten entries per multi-weight in units of `unit`. Returns false if the result is not a valid bone:
/// weights not positive, or roundness below least_spread.
bool take_step(VirtualBone& bone, double unit, const Eigen::VectorXd& step);

/// Damping per bone, kept between rounds.
struct Damping {
  std::vector<double> values;
};

/// One Gauss-Newton step for every virtual bone in turn (bones without common points in parallel). Takes a step only if
/// it lowers the true error.
void refine_bones(const DistinctPoints& points, const PoseExamples& examples, std::span<const double> mass,
                  Damping& damping, Fit& fit, const Run& run);

}  // namespace marrow::ddm_compression
