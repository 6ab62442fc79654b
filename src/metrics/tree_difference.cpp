#include "metrics/tree_difference.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <map>

#include "core/eigen_affine.hpp"
#include "core/factor.hpp"
#include "marrow/metrics.hpp"

namespace marrow {

std::set<std::size_t> working_bones(const Rig& rig) {
  return {rig.weights.bones.begin(), rig.weights.bones.end()};
}

std::vector<std::size_t> matches(const Rig& found, const Rig& truth) {
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
  result.reserve(common.size());
  for (const auto& row : common) {
    result.push_back(std::size_t(std::ranges::max_element(row) - row.begin()));
  }
  return result;
}

namespace {

using Eigen::Vector3d;

/// Axis of a bone that only rotates about one axis relative to its parent; 0 if it is no hinge. The position of the
/// joint along that axis has no visible effect.
Vector3d hinge_axis(const Rig& rig, std::size_t j) {
  Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
  for (std::size_t t = 0; t < rig.frames(); ++t) {
    const auto frame = rig.motion.frame(t);
    const Eigen::Matrix3d d = linear_part(frame[j]) - linear_part(frame[std::size_t(rig.skeleton.parents[j])]);
    sum += d.transpose() * d;
  }
  const Spectrum spread = spectrum(sum);
  return spread.values[0] < 1e-6 * sum.trace() ? Vector3d(spread.vectors.col(0)) : Vector3d::Zero();
}

/// Joints as pairs of true bones, with their positions. Pairs are unordered: which bone is the parent depends on the
/// root.
std::map<std::set<std::size_t>, Vector3d> joints_of(const Rig& rig, const std::vector<std::size_t>& name) {
  std::map<std::set<std::size_t>, Vector3d> joints;
  for (const std::size_t j : working_bones(rig)) {
    const std::int32_t parent = rig.skeleton.parents[j];
    if (parent >= 0) joints[{name[j], name[std::size_t(parent)]}] = translation_part(rig.skeleton.bind[j]);
  }
  return joints;
}

}  // namespace

double weight_difference(const Rig& truth, const Rig& found) {
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

TreeDifference tree_difference(const Rig& truth, const Rig& found) {
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
    Vector3d gap = joint->second - translation_part(truth.skeleton.bind[j]);
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
