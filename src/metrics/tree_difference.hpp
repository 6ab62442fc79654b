#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "marrow/metrics.hpp"
#include "marrow/rig.hpp"

namespace marrow {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Bones with weight on some vertex.
inline std::set<std::size_t> working(const Rig& rig) {
  return {rig.weights.bones.begin(), rig.weights.bones.end()};
}

inline Matrix3d turn_of(const Affine& a) {
  Matrix3d m;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) m(r, c) = a(std::size_t(r), std::size_t(c));
  }
  return m;
}

inline Vector3d place_of(const Affine& a) {
  return {a(0, 3), a(1, 3), a(2, 3)};
}

/// Axis of a bone that only rotates about one axis relative to its parent; 0 if it is no hinge. The position of the
/// joint along that axis has no visible effect.
inline Vector3d hinge_axis(const Rig& rig, std::size_t j) {
  Matrix3d sum = Matrix3d::Zero();
  for (std::size_t t = 0; t < rig.frames(); ++t) {
    const auto frame = rig.motion.frame(t);
    const Matrix3d d = turn_of(frame[j]) - turn_of(frame[std::size_t(rig.skeleton.parents[j])]);
    sum += d.transpose() * d;
  }
  const Eigen::SelfAdjointEigenSolver<Matrix3d> eigen(sum);
  return eigen.eigenvalues()[0] < 1e-6 * sum.trace() ? Vector3d(eigen.eigenvectors().col(0)) : Vector3d::Zero();
}

/// For each found bone the true bone with the largest common weight.
inline std::vector<std::size_t> matches(const Rig& found, const Rig& truth) {
  std::vector<std::vector<double>> common(found.bones(), std::vector<double>(truth.bones(), 0));
  for (std::size_t i = 0; i < truth.vertices(); ++i) {
    for (std::size_t a = 0; a < found.weights.row_bones(i).size(); ++a) {
      for (std::size_t b = 0; b < truth.weights.row_bones(i).size(); ++b) {
        common[found.weights.row_bones(i)[a]][truth.weights.row_bones(i)[b]] +=
            double(found.weights.row_values(i)[a]) * truth.weights.row_values(i)[b];
      }
    }
  }
  std::vector<std::size_t> result;
  for (const auto& row : common) {
    result.push_back(std::size_t(std::ranges::max_element(row) - row.begin()));
  }
  return result;
}

/// The largest difference of a weight, each true bone by the found one that matches it; 1 where two have the same one.
inline double weight_difference(const Rig& truth, const Rig& found) {
  const std::vector<std::size_t> match = matches(truth, found);
  if (std::set(match.begin(), match.end()).size() != truth.bones()) return 1;
  double largest = 0;
  for (std::size_t i = 0; i < truth.vertices(); ++i) {
    std::vector<double> gap(found.bones(), 0);
    for (std::size_t a = 0; a < truth.weights.row_bones(i).size(); ++a) {
      gap[match[truth.weights.row_bones(i)[a]]] += double(truth.weights.row_values(i)[a]);
    }
    for (std::size_t b = 0; b < found.weights.row_bones(i).size(); ++b) {
      gap[found.weights.row_bones(i)[b]] -= double(found.weights.row_values(i)[b]);
    }
    for (const double g : gap) largest = std::max(largest, std::abs(g));
  }
  return largest;
}

/// Joints as pairs of true bones, with their positions. Pairs are unordered: which bone is the parent depends on the
/// root.
inline std::map<std::set<std::size_t>, Vector3d> joints_of(const Rig& rig, const std::vector<std::size_t>& name) {
  std::map<std::set<std::size_t>, Vector3d> joints;
  for (const std::size_t j : working(rig)) {
    const std::int32_t parent = rig.skeleton.parents[j];
    if (parent >= 0) joints[{name[j], name[std::size_t(parent)]}] = place_of(rig.skeleton.bind[j]);
  }
  return joints;
}

/// Differences between a skeleton and the true one.
struct TreeDifference {
  std::vector<std::string> missing;  ///< joints of the true skeleton that were not found
  std::size_t joints = 0;            ///< number of joints found, right or wrong
  double worst = 0;                  ///< largest distance of a joint from the true one, as a share of the size
  std::string where;                 ///< name of that joint
};

inline TreeDifference tree_difference(const Rig& truth, const Rig& found) {
  const auto got = joints_of(found, matches(found, truth));
  TreeDifference result;
  result.joints = got.size();
  for (std::size_t j = 1; j < truth.bones(); ++j) {
    const auto parent = std::size_t(truth.skeleton.parents[j]);
    const std::string name = truth.skeleton.names[j] + " and " + truth.skeleton.names[parent];
    const auto joint = got.find({j, parent});
    if (joint == got.end()) {
      result.missing.push_back(name);
      continue;
    }
    const Vector3d axis = hinge_axis(truth, j);
    Vector3d gap = joint->second - place_of(truth.skeleton.bind[j]);
    gap -= axis.dot(gap) * axis;
    if (gap.norm() > result.worst) {
      result.worst = gap.norm();
      result.where = name;
    }
  }
  result.worst /= size_of(truth.mesh.positions);
  return result;
}

}  // namespace marrow
