#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "marrow/rig.hpp"
#include "marrow/synthetic.hpp"
#include "support/rigs.hpp"
#include "support/shapes.hpp"

namespace marrow::testing {

struct NamedRig {
  std::string name;
  Rig rig;
};

/// The mesh on a chain of three bones with random weights.
inline Rig on_random_bones(Mesh mesh, std::uint64_t seed = 1) {
  Random random(seed);
  Rig rig = random_rig(random, std::move(mesh), 3, 2, 1);
  for (std::int32_t j = 0; j < 3; ++j) rig.skeleton.parents[std::size_t(j)] = j - 1;
  return rig;
}

inline Mesh from(std::vector<Vec3> positions, std::vector<std::array<std::uint32_t, 3>> faces) {
  Mesh mesh;
  mesh.positions = std::move(positions);
  for (const auto& [a, b, c] : faces) add_face(mesh, {a, b, c});
  return mesh;
}

/// A grid of side x side vertices with bumps, two triangles a cell.
inline Mesh bumpy(std::uint32_t side) {
  Mesh mesh;
  for (std::uint32_t i = 0; i < side * side; ++i) {
    const auto x = float(i % side), z = float(i / side);
    mesh.positions.push_back({x, std::sin(x) * std::cos(z), z});
    if (i / side + 1 < side && i % side + 1 < side) {
      add_face(mesh, {i, i + side, i + 1});
      add_face(mesh, {i + 1, i + side, i + side + 1});
    }
  }
  return mesh;
}

inline void append(Mesh& mesh, const Mesh& other, const Vec3& by) {
  const auto first = std::uint32_t(mesh.vertices());
  for (const Vec3& p : other.positions) mesh.positions.push_back({p.x + by.x, p.y + by.y, p.z + by.z});
  for (const auto& [a, b, c] : triangles(other)) add_face(mesh, {first + a, first + b, first + c});
}

/// The corners of the last faces become vertices of their own, as an exporter splits them at a texture seam.
inline void split_last_faces(Rig& rig, std::size_t faces) {
  std::vector<std::uint32_t>& corners = rig.mesh.face_vertices;
  for (std::size_t c = corners.size() - 3 * faces; c < corners.size(); ++c) {
    const std::uint32_t v = corners[c];
    corners[c] = std::uint32_t(rig.vertices());
    rig.mesh.positions.push_back(rig.mesh.positions[v]);
    for (std::uint32_t e = rig.weights.offsets[v]; e < rig.weights.offsets[v + 1]; ++e) {
      rig.weights.bones.push_back(rig.weights.bones[e]);
      rig.weights.values.push_back(rig.weights.values[e]);
    }
    rig.weights.offsets.push_back(std::uint32_t(rig.weights.bones.size()));
  }
}

/// Meshes that smoothing must live with.
inline std::vector<NamedRig> awkward_rigs() {
  std::vector<NamedRig> out;
  const auto add = [&](const std::string& name, Mesh mesh) {
    out.push_back({name, on_random_bones(std::move(mesh), out.size() + 1)});
  };
  const Mesh grid = bumpy(8);

  Mesh shells = grid;
  append(shells, grid, {20, 0, 0});
  append(shells, cube_of_quads(), {0, 20, 0});
  add("several shells", shells);
  add("a flat sheet with a boundary", sheet_of_quads(6));
  add("an edge with three faces and a corner of two fans",
      from({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {-1, 0, 0}, {-1, 1, 0}},
           {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {0, 5, 6}}));
  Mesh isolated = grid;
  isolated.positions.push_back({3, 9, 3});
  isolated.positions.push_back({-5, 0, 1});
  add("isolated vertices", isolated);
  Mesh flat_faces = grid;
  add_face(flat_faces, {0, 1, 2});
  add_face(flat_faces, {5, 5, 6});
  add_face(flat_faces, {7, 7, 7});
  add("zero-area faces and faces with repeated corners", flat_faces);
  Mesh repeated = grid;
  for (std::uint32_t c = 0; c < 30; c += 3) {
    add_face(repeated, {grid.face_vertices[c], grid.face_vertices[c + 1], grid.face_vertices[c + 2]});
  }
  add("duplicate faces", repeated);
  Mesh flipped = grid;
  for (std::size_t f = 0; f < flipped.faces(); f += 2) {
    std::swap(flipped.face_vertices[3 * f], flipped.face_vertices[3 * f + 1]);
  }
  for (std::uint32_t c = 0; c < 30; c += 3) {
    add_face(flipped, {grid.face_vertices[c], grid.face_vertices[c + 2], grid.face_vertices[c + 1]});
  }
  add("flipped faces, alone and on top of others", flipped);
  Mesh cloud = grid;
  cloud.face_offsets.clear();
  cloud.face_vertices.clear();
  add("no faces", cloud);
  Mesh strand;
  for (std::uint32_t i = 0; i < 12; ++i) {
    strand.positions.push_back({float(i), 0, 0});
    if (i >= 2) add_face(strand, {i - 2, i - 1, i});
  }
  add("points on a line", strand);
  Mesh slivers = grid;
  for (Vec3& p : slivers.positions) p.x *= 1e-4F;
  add("slivers", slivers);
  add("one triangle", from({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}));
  Mesh far_away = grid;
  for (Vec3& p : far_away.positions) p = {p.x + 1000, p.y - 1000, p.z + 500};
  add("far from the origin", far_away);
  Mesh doubled = grid;
  append(doubled, grid, {0, 0, 0});
  add("the same twice", doubled);
  out.push_back({"texture seams", on_random_bones(grid, 14)});
  split_last_faces(out.back().rig, 40);
  out.push_back({"bones without vertices", synthetic::quadruped({.vertices = 300, .frames = 2})});
  return out;
}

}  // namespace marrow::testing
