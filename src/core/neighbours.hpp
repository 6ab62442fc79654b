#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "marrow/mesh.hpp"

namespace marrow {

/// Which points are next to which, compressed rows.
struct Neighbours {
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> indices;

  std::span<const std::uint32_t> of(std::size_t i) const {
    return {indices.data() + offsets[i], indices.data() + offsets[i + 1]};
  }
};

/// Of all vertices of the mesh.
Neighbours mesh_neighbours(const Mesh& mesh);
/// Of a subset: points whose regions (the vertices nearest to them along the mesh) touch.
Neighbours subset_neighbours(const Neighbours& all, std::span<const std::uint32_t> subset);

/// Those up to two edges away, nearest first, the point itself not among them; at most `most_within_two_edges`, so that
/// a hub with very many neighbours does not make everybody everybody's.
Neighbours within_two_edges(const Neighbours& neighbours);
inline constexpr std::size_t most_within_two_edges = 128;

}  // namespace marrow
