#include "io/seams.hpp"

#include <array>
#include <bit>

namespace marrow {
namespace {

/// Vertex, uv and normal of a corner as bits: equal bits, equal corner (also for NaN).
std::array<std::uint32_t, 6> corner_bits(const Mesh& mesh, std::uint32_t corner) {
  std::array<std::uint32_t, 6> bits{mesh.face_vertices[corner]};
  if (!mesh.corner_uvs.empty()) {
    const Vec2& uv = mesh.uvs[mesh.corner_uvs[corner]];
    bits[1] = std::bit_cast<std::uint32_t>(uv.x);
    bits[2] = std::bit_cast<std::uint32_t>(uv.y);
  }
  if (!mesh.corner_normals.empty()) {
    const Vec3& n = mesh.normals[mesh.corner_normals[corner]];
    bits[3] = std::bit_cast<std::uint32_t>(n.x);
    bits[4] = std::bit_cast<std::uint32_t>(n.y);
    bits[5] = std::bit_cast<std::uint32_t>(n.z);
  }
  return bits;
}

}  // namespace

std::size_t SeamVertices::CornerHash::operator()(std::uint32_t corner) const {
  std::uint64_t hash = 0;
  for (const std::uint32_t bits : corner_bits(*mesh, corner)) {
    hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

bool SeamVertices::SameCorner::operator()(std::uint32_t a, std::uint32_t b) const {
  return corner_bits(*mesh, a) == corner_bits(*mesh, b);
}

SeamVertices::SeamVertices(const Mesh& mesh) : mesh_(mesh), appended_(0, CornerHash{&mesh}, SameCorner{&mesh}) {
  if (mesh.corner_uvs.empty() && mesh.corner_normals.empty()) return;
  corners_.assign(mesh.vertices(), no_corner);
  for (std::uint32_t c = 0; c < mesh.face_vertices.size(); ++c) {
    const std::uint32_t v = mesh.face_vertices[c];
    if (corners_[v] == no_corner) corners_[v] = c;
    if (corner_bits(mesh, corners_[v]) == corner_bits(mesh, c)) continue;
    const auto next = std::uint32_t(count());
    if (!appended_.try_emplace(c, next).second) continue;
    sources_.push_back(v);
    corners_.push_back(c);
  }
}

std::uint32_t SeamVertices::vertex(std::uint32_t corner) const {
  const std::uint32_t v = mesh_.face_vertices[corner];
  if (appended_.empty() || corner_bits(mesh_, corners_[v]) == corner_bits(mesh_, corner)) return v;
  return appended_.at(corner);
}

}  // namespace marrow
