#pragma once

#include <vector>

#include "ddm_compression/virtual_bone.hpp"
#include "marrow/ddm_compression.hpp"
#include "marrow/motion_range.hpp"
#include "marrow/run.hpp"

namespace marrow::ddm_compression {

/// Targets of the vertices, and predictions of virtual bones. Both objectives have the same form: an example is a
/// number of rows, virtual bone k a matrix T_k of that many rows and 4 columns, and the error of point i is |sum_k a_ki
/// T_k u_i - v_i|^2: the mean squared distance, in units of the size.
class Examples {
 public:
  virtual ~Examples() = default;

  Index rows() const { return targets_.rows(); }
  /// Targets v_i, one column per point.
  const Matrix& targets() const { return targets_; }
  /// |v_i|^2.
  const std::vector<double>& squares() const { return squares_; }
  /// Number of leading rows that suffice for a rough distance.
  Index rough_rows() const { return rough_rows_; }
  virtual void transform(const VirtualBone& bone, Eigen::Ref<Matrix> out) const = 0;

 protected:
  void set_targets(Matrix targets);

  Matrix targets_;
  std::vector<double> squares_;
  Index rough_rows_ = 0;
};

}  // namespace marrow::ddm_compression
