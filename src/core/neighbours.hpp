#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "marrow/mesh.hpp"

namespace marrow {

/// Adjacency in compressed rows.
struct Neighbours {
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> indices;

  std::span<const std::uint32_t> of(std::size_t i) const {
    return {indices.data() + offsets[i], indices.data() + offsets[i + 1]};
  }
};

/// Vertices that share an edge.
Neighbours mesh_neighbours(const Mesh& mesh);
/// Adjacency of a subset. Every vertex belongs to the nearest member (in edges); members are neighbours if their
/// regions touch.
Neighbours subset_neighbours(const Neighbours& all, std::span<const std::uint32_t> subset);

/// Vertices at most two edges away, nearest first, without the vertex itself. Rows have at most `most_within_two_edges`
/// entries: caps the neighbourhood at hubs (vertices with many edges).
Neighbours within_two_edges(const Neighbours& neighbours);
inline constexpr std::size_t most_within_two_edges = 128;

}  // namespace marrow
