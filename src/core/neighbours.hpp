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

}  // namespace marrow
