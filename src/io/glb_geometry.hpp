#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "io/glb_scene.hpp"
#include "marrow/mesh.hpp"
#include "marrow/run.hpp"

namespace marrow::glb {

/// Weight of a joint (its index in the skin) at a vertex.
struct Influence {
  std::uint32_t joint;
  float weight;
};

struct Range {
  std::size_t first = 0, count = 0;
  std::size_t end() const { return first + count; }
};

/// A node of the scene with a mesh, and where its data is.
struct Instance {
  std::size_t node = 0;
  std::optional<std::size_t> skin;
  Range vertices;                          // in Geometry::mesh.positions
  Range attributes;                        // in its uvs and normals
  Range corners;                           // in its face_vertices
  std::vector<std::vector<Vec3>> targets;  // per morph target: offsets of the vertices at weight 1
};

/// Everything that the scene shows, as one mesh. Positions are as stored: the nodes or bones of the instances move
/// them.
struct Geometry {
  Mesh mesh;
  std::vector<Instance> instances;
  std::vector<std::array<float, 3>> colors;  // per vertex, white if its part has none; empty if no part has colours
  std::vector<std::uint32_t> influence_offsets{0};  // #vertices + 1
  std::vector<Influence> influences;                // positive, not yet normalised; none without a skin
};

/// Fails if the scene shows nothing.
Geometry read_geometry(const Document& document, const Scene& scene);

/// Writes the positions of an instance's vertices with morph `weights` into `positions` (of all vertices).
void morph(const Geometry& geometry, const Instance& instance, const std::vector<double>& weights,
           std::vector<Vec3>& positions);

}  // namespace marrow::glb
