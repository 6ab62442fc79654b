#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "marrow/mesh.hpp"

namespace marrow {

/// Vertices for formats with one texture coordinate and one normal per vertex: first the mesh's own, then a copy for
/// every further (uv, normal) at the corners of a vertex. Compares values, not indices.
class SeamVertices {
 public:
  static constexpr std::uint32_t no_corner = std::numeric_limits<std::uint32_t>::max();

  /// Keeps a reference: the mesh must outlive this object. Linear in the number of corners.
  explicit SeamVertices(const Mesh& mesh);

  std::size_t count() const { return mesh_.vertices() + sources_.size(); }
  /// Mesh vertex of each copy.
  std::span<const std::uint32_t> sources() const { return sources_; }
  /// Mesh vertex of vertex v.
  std::uint32_t source(std::size_t v) const {
    return v < mesh_.vertices() ? std::uint32_t(v) : sources_[v - mesh_.vertices()];
  }
  /// A corner with the uv and normal of vertex v; no_corner if the vertex has no face or the mesh no attributes.
  std::uint32_t corner(std::size_t v) const { return corners_.empty() ? no_corner : corners_[v]; }
  /// Vertex of a face corner.
  std::uint32_t vertex(std::uint32_t corner) const;

 private:
  struct CornerHash {
    const Mesh* mesh;
    std::size_t operator()(std::uint32_t corner) const;
  };
  struct SameCorner {
    const Mesh* mesh;
    bool operator()(std::uint32_t a, std::uint32_t b) const;
  };

  const Mesh& mesh_;
  std::vector<std::uint32_t> sources_;
  std::vector<std::uint32_t> corners_;  ///< #count(); empty if corners have no attributes
  std::unordered_map<std::uint32_t, std::uint32_t, CornerHash, SameCorner> appended_;  ///< corner to vertex
};

}  // namespace marrow
