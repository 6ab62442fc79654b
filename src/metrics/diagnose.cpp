#include "marrow/diagnose.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <span>

#include "core/polar.hpp"
#include "marrow/metrics.hpp"

namespace marrow {
namespace {

double length(const Vec3& a, const Vec3& b) {
  return std::hypot(double(a.x) - b.x, double(a.y) - b.y, double(a.z) - b.z);
}

/// Median over the edges of |log(edge in the frame / edge in the rest pose)|, after removing the overall scale.
/// Deformation changes most edges little; a different vertex order makes them as long as the model.
double edge_disorder(const Sequence& sequence, std::span<const Vec3> frame, double scale) {
  std::vector<double> logs;
  for (const auto& [a, b] : edges(sequence.mesh)) {
    const double rest = length(sequence.mesh.positions[a], sequence.mesh.positions[b]);
    const double now = length(frame[a], frame[b]);
    if (rest > 0 && now > 0) logs.push_back(std::abs(std::log(now / (scale * rest))));
  }
  if (logs.empty()) return 0;
  const auto middle = logs.begin() + std::ptrdiff_t(logs.size() / 2);
  std::nth_element(logs.begin(), middle, logs.end());
  return *middle;
}

/// Rotation of the best rigid fit from the rest pose to the frame (Kabsch).
Eigen::Matrix3d best_rotation(const Sequence& sequence, std::span<const Vec3> frame) {
  using Points = Eigen::Map<const Eigen::Matrix3Xf>;
  const auto n = Eigen::Index(frame.size());
  const Eigen::Matrix3Xd rest = Points(&sequence.mesh.positions.data()->x, 3, n).cast<double>();
  const Eigen::Matrix3Xd now = Points(&frame.data()->x, 3, n).cast<double>();
  const Eigen::Vector3d rest_mean = rest.rowwise().mean(), now_mean = now.rowwise().mean();
  const Eigen::Matrix3d covariance = (now.colwise() - now_mean) * (rest.colwise() - rest_mean).transpose();
  return nearest_rotation(covariance);
}

std::size_t unused_vertices(const Mesh& mesh) {
  std::vector<bool> used(mesh.vertices());
  for (const std::uint32_t v : mesh.face_vertices) used[v] = true;
  return std::size_t(std::ranges::count(used, false));
}

}  // namespace

std::vector<std::string> diagnose(const Sequence& sequence) {
  std::vector<std::string> findings;
  const Mesh& mesh = sequence.mesh;
  if (mesh.vertices() == 0 || sequence.frames() == 0) {
    findings.emplace_back("has no vertices or no frames");
    return findings;
  }
  const double rest_size = size_of(mesh.positions);
  if (rest_size == 0) {
    findings.emplace_back("all vertices of the rest pose are in one place; is it the right rest file?");
    return findings;
  }
  if (mesh.faces() == 0) {
    findings.emplace_back("the mesh has no faces: it is treated as a point cloud");
  } else if (const std::size_t unused = unused_vertices(mesh); unused > 0) {
    findings.push_back(fmt::format("{} of {} vertices belong to no face", unused, mesh.vertices()));
  }

  // The middle frame stands for all: mismatched files differ in every frame.
  const auto frame = sequence.frame(sequence.frames() / 2);
  const double ratio = size_of(frame) / rest_size;
  if (ratio > 5 || ratio < 0.2) {
    findings.push_back(
        fmt::format("the frames are {:.3g} times as large as the rest pose; are they in the same unit?", ratio));
  }
  if (edge_disorder(sequence, frame, ratio) > std::log(2.0)) {
    findings.emplace_back(
        "most edges change their length a lot between the rest pose and the frames; do both have the same vertex "
        "order?");
  } else {
    const Eigen::Matrix3d rotation = best_rotation(sequence, frame);
    Eigen::Matrix3d quarter_turn;
    quarter_turn << 1, 0, 0, 0, 0, 1, 0, -1, 0;
    const double z_to_y = (rotation - quarter_turn).norm(), y_to_z = (rotation - quarter_turn.transpose()).norm();
    if (std::min(z_to_y, y_to_z) < 0.1) {
      findings.emplace_back(
          "the frames are rotated by 90 degrees about x from the rest pose; do both have the same up axis?");
    }
  }
  bool moves = false;
  for (std::size_t t = 1; t < sequence.frames() && !moves; ++t) {
    moves = !std::ranges::equal(sequence.frame(0), sequence.frame(t));
  }
  if (!moves && sequence.frames() > 1) findings.emplace_back("all frames are the same: nothing moves");
  return findings;
}

}  // namespace marrow
