#pragma once

#include <Eigen/Dense>

namespace marrow::lbs {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Matrix34 = Eigen::Matrix<double, 3, 4>;

}  // namespace marrow::lbs
