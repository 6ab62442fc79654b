#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "marrow/rig.hpp"
#include "marrow/sequence.hpp"

namespace marrow::testing {

inline void add_face(Mesh& mesh, std::initializer_list<std::uint32_t> corners) {
  if (mesh.face_offsets.empty()) mesh.face_offsets.push_back(0);
  mesh.face_vertices.insert(mesh.face_vertices.end(), corners);
  mesh.face_offsets.push_back(std::uint32_t(mesh.face_vertices.size()));
}

/// The cube [0, 1]^3: vertex number x + 2 y + 4 z, six quads that face outwards.
inline Mesh cube_of_quads() {
  Mesh mesh;
  for (std::uint32_t v = 0; v < 8; ++v) {
    mesh.positions.push_back({float(v & 1u), float(v >> 1u & 1u), float(v >> 2u & 1u)});
  }
  add_face(mesh, {0, 2, 3, 1});  // z = 0
  add_face(mesh, {4, 5, 7, 6});  // z = 1
  add_face(mesh, {0, 1, 5, 4});  // y = 0
  add_face(mesh, {2, 6, 7, 3});  // y = 1
  add_face(mesh, {0, 4, 6, 2});  // x = 0
  add_face(mesh, {1, 3, 7, 5});  // x = 1
  return mesh;
}

/// A sheet of side x side vertices in the xz plane, quads facing up.
inline Mesh sheet_of_quads(std::uint32_t side) {
  Mesh mesh;
  for (std::uint32_t i = 0; i < side * side; ++i) {
    mesh.positions.push_back({float(i % side), 0, float(i / side)});
    if (i / side + 1 < side && i % side + 1 < side) add_face(mesh, {i, i + side, i + side + 1, i + 1});
  }
  return mesh;
}

inline float random_float(Random& random) {
  return float(random.uniform(-1, 1));
}

inline Vec3 random_point(Random& random) {
  const float x = random_float(random), y = random_float(random);
  return {x, y, random_float(random)};
}

/// Any linear part, no structure at all.
inline Affine random_affine(Random& random) {
  Affine a;
  for (double& v : a.m) v = random.uniform(-1, 1);
  return a;
}

/// Every frame a random cloud on the given mesh.
inline Sequence random_sequence(Random& random, Mesh mesh, std::size_t frames) {
  Sequence sequence{std::move(mesh), Timeline::uniform(frames, 30), {}};
  for (std::size_t k = 0; k < frames * sequence.vertices(); ++k) sequence.positions.push_back(random_point(random));
  return sequence;
}

/// Random weights with 1 to `influences` bones per vertex, the most at vertex 0; random affine motion.
inline Rig random_rig(Random& random, Mesh mesh, std::uint32_t bones, std::uint32_t influences, std::size_t frames) {
  Rig rig;
  rig.mesh = std::move(mesh);
  rig.weights.offsets = {0};
  std::vector<std::uint32_t> order(bones);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = 0; i < rig.vertices(); ++i) {
    const std::size_t count = i == 0 ? influences : 1 + random.index(influences);
    for (std::size_t k = 0; k < count; ++k) std::swap(order[k], order[k + random.index(bones - k)]);
    std::sort(order.begin(), order.begin() + std::ptrdiff_t(count));
    std::vector<double> weights(count);
    for (double& w : weights) w = random.uniform(0.1, 1);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t k = 0; k < count; ++k) {
      rig.weights.bones.push_back(order[k]);
      rig.weights.values.push_back(float(weights[k] / sum));
    }
    rig.weights.offsets.push_back(std::uint32_t(rig.weights.bones.size()));
  }
  rig.skeleton = centroid_skeleton(rig.mesh, rig.weights, bones);
  rig.motion = {.timeline = Timeline::uniform(frames, 30), .bones = bones, .transforms = {}};
  for (std::size_t k = 0; k < frames * bones; ++k) rig.motion.transforms.push_back(random_affine(random));
  return rig;
}

}  // namespace marrow::testing
