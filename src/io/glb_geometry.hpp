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

/// How much a vertex follows a joint, the number of an entry in its skin's list.
struct Influence {
  std::uint32_t joint;
  float weight;
};

struct Range {
  std::size_t first = 0, count = 0;
  std::size_t end() const { return first + count; }
};

/// A node of the scene that shows a mesh, and what the mesh became.
struct Instance {
  std::size_t node = 0;
  std::optional<std::size_t> skin;
  Range vertices;                          // in Geometry::mesh.positions
  Range attributes;                        // in its uvs and normals
  Range corners;                           // in its face_vertices
  std::vector<std::vector<Vec3>> targets;  // offsets of the vertices at full weight, per morph target
};

/// Everything the scene shows in one mesh, not yet moved to its place: positions are what the instances' nodes or bones
/// act on.
struct Geometry {
  Mesh mesh;
  std::vector<Instance> instances;
  std::vector<std::array<float, 3>> colors;  // #vertices, white where a part has none; empty where no part has any
  std::vector<std::uint32_t> influence_offsets{0};  // #vertices + 1
  std::vector<Influence> influences;                // positive, not yet normalised; none without a skin
};

/// Fails when there is nothing to show. Colours are looked at only where they are asked for.
Geometry read_geometry(const Document& document, const Scene& scene, bool with_colors = false);

/// The raw positions of an instance's vertices, with its morph targets at `weights`, into `positions` of all vertices.
void morph(const Geometry& geometry, const Instance& instance, const std::vector<double>& weights,
           std::vector<Vec3>& positions);

}  // namespace marrow::glb
