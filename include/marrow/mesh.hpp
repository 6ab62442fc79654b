#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "marrow/math.hpp"

namespace marrow {

/// A polygon mesh in one pose. Polygons are kept as read; a mesh without faces is a point cloud.
///
/// Invariants (validate() names the broken one):
/// - positions are finite;
/// - face_offsets is empty, or starts at 0, grows by at least 3 per face and ends at face_vertices.size();
/// - every index is in range;
/// - corner_uvs / corner_normals are empty, or one index into uvs / normals per entry of face_vertices.
struct Mesh {
  std::vector<Vec3> positions;                ///< #vertices, the rest pose
  std::vector<std::uint32_t> face_offsets;    ///< #faces + 1, or empty: first corner of every face, then #corners
  std::vector<std::uint32_t> face_vertices;   ///< #corners, vertex of each corner
  std::vector<Vec2> uvs;                      ///< texture coordinates, origin at the lower left as in OBJ
  std::vector<std::uint32_t> corner_uvs;      ///< #corners, or empty
  std::vector<Vec3> normals;                  ///< unit normals, kept as read
  std::vector<std::uint32_t> corner_normals;  ///< #corners, or empty

  std::size_t vertices() const { return positions.size(); }
  std::size_t faces() const { return face_offsets.empty() ? 0 : face_offsets.size() - 1; }
  bool operator==(const Mesh&) const = default;
};

/// Throws Error{bad_input} naming the broken rule and the place.
void validate(const Mesh& mesh);

/// Triangle fans of all faces, in face order.
std::vector<std::array<std::uint32_t, 3>> triangles(const Mesh& mesh);

/// Every edge of every polygon once, as (smaller, larger) vertex, sorted.
std::vector<std::array<std::uint32_t, 2>> edges(const Mesh& mesh);

/// Area-weighted unit normals of `positions` under the mesh's faces, one per vertex; (0, 1, 0) at vertices without
/// area.
std::vector<Vec3> vertex_normals(const Mesh& mesh, std::span<const Vec3> positions);

/// Number of connected components; a vertex without faces is one.
std::size_t count_shells(const Mesh& mesh);

}  // namespace marrow
