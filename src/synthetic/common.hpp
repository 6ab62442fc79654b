#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "core/random.hpp"
#include "marrow/synthetic.hpp"

/// Shared by the generators.
namespace marrow::synthetic {

using Point = Eigen::Vector3d;

inline constexpr double pi = std::numbers::pi;
inline constexpr double frames_per_second = 30;

constexpr double radians(double degrees) {
  return degrees * (pi / 180);
}

inline Vec3 to_vec3(const Point& p) {
  return {float(p.x()), float(p.y()), float(p.z())};
}

inline Point to_point(const Vec3& v) {
  return {v.x, v.y, v.z};
}

/// The cubic with flat ends from 0 at 0 to 1 at 1, clamped.
inline double smooth_step(double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return x * x * (3 - 2 * x);
}

/// A separate random stream for item `index` (a frame, a piece): results do not depend on the order of work.
Random random_stream(std::uint64_t seed, std::uint64_t index);

/// Adds normal noise to every coordinate of every frame. Its standard deviation is options.noise times the size.
void add_noise(Sequence& sequence, const Options& options, const Run& run);

/// Appends a polygon.
template <class... Corner>
void add_face(Mesh& mesh, Corner... corner) {
  if (mesh.face_offsets.empty()) mesh.face_offsets.push_back(0);
  (mesh.face_vertices.push_back(std::uint32_t(corner)), ...);
  mesh.face_offsets.push_back(std::uint32_t(mesh.face_vertices.size()));
}

}  // namespace marrow::synthetic
