#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "marrow/mesh.hpp"

namespace marrow {

/// Vertices for formats that know one texture coordinate and one normal per vertex: the mesh's own in their order, then
/// one more for every further (uv, normal) that the corners of a vertex have. Compared by value, not by index.
class SeamVertices {
 public:
  static constexpr std::uint32_t no_corner = std::numeric_limits<std::uint32_t>::max();

  /// Refers to the mesh, which must stay. Linear in its corners.
  explicit SeamVertices(const Mesh& mesh);

  std::size_t count() const { return mesh_.vertices() + sources_.size(); }
  /// The mesh vertex of each appended vertex.
  std::span<const std::uint32_t> sources() const { return sources_; }
  /// The mesh vertex that vertex v is, or is a copy of.
  std::uint32_t source(std::size_t v) const {
    return v < mesh_.vertices() ? static_cast<std::uint32_t>(v) : sources_[v - mesh_.vertices()];
  }
  /// A corner that has the uv and normal of vertex v; no_corner where no face or no attribute is.
  std::uint32_t corner(std::size_t v) const { return corners_.empty() ? no_corner : corners_[v]; }
  /// The vertex that a face corner uses.
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
  std::vector<std::uint32_t> corners_;  ///< #count(); empty where corners carry nothing
  std::unordered_map<std::uint32_t, std::uint32_t, CornerHash, SameCorner> appended_;  ///< corner to vertex
};

}  // namespace marrow
