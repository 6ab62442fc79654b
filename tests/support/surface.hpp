#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "marrow/mesh.hpp"

namespace marrow::testing {

/// Whether every edge has exactly two faces, one in each direction: closed, manifold along edges, oriented.
inline bool is_closed(const Mesh& mesh) {
  std::vector<std::array<std::uint32_t, 2>> forward, backward;
  for (std::size_t f = 0; f < mesh.faces(); ++f) {
    std::uint32_t previous = mesh.face_vertices[mesh.face_offsets[f + 1] - 1];
    for (std::uint32_t c = mesh.face_offsets[f]; c < mesh.face_offsets[f + 1]; ++c) {
      const std::uint32_t v = mesh.face_vertices[c];
      if (v == previous) return false;
      forward.push_back({previous, v});
      backward.push_back({v, previous});
      previous = v;
    }
  }
  std::ranges::sort(forward);
  std::ranges::sort(backward);
  const bool once = std::ranges::adjacent_find(forward) == forward.end();
  return once && !forward.empty() && forward == backward;
}

/// Vertices - edges + faces.
inline long euler(const Mesh& mesh) {
  return long(mesh.vertices() + mesh.faces()) - long(edges(mesh).size());
}

/// Enclosed volume of the faces at these positions, by the divergence theorem; positive where faces are seen
/// counter-clockwise from outside.
inline double volume(const Mesh& mesh, std::span<const Vec3> positions) {
  const auto at = [&](std::uint32_t v) -> Eigen::Vector3d { return {positions[v].x, positions[v].y, positions[v].z}; };
  double sum = 0;
  for (const auto& [a, b, c] : triangles(mesh)) sum += at(a).dot(at(b).cross(at(c))) / 6;
  return sum;
}

}  // namespace marrow::testing
