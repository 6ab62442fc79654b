#include "io/glb_write_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/skin_rows.hpp"

namespace marrow {
namespace {

constexpr int vertex_target = 34962, index_target = 34963;
constexpr int points_mode = 0;

}  // namespace

GlbMesh::GlbMesh(const Rig& rig, bool add_normals) : rig_(rig), vertices_(rig.mesh) {
  if (add_normals && rig.mesh.corner_normals.empty() && rig.mesh.faces() > 0) {
    smooth_normals_ = vertex_normals(rig.mesh, rig.mesh.positions);
  }
}

GlbFile::Json GlbMesh::describe(GlbFile& glb) const {
  GlbFile::Json attributes;
  attributes["POSITION"] = add_positions(glb);
  if (!smooth_normals_.empty() || !rig_.mesh.corner_normals.empty()) attributes["NORMAL"] = add_normals(glb);
  if (!rig_.mesh.corner_uvs.empty()) attributes["TEXCOORD_0"] = add_uvs(glb);
  const std::size_t sets = (rig_.weights.max_influences() + 3) / 4;
  for (std::size_t set = 0; set < sets; ++set) {
    attributes[fmt::format("JOINTS_{}", set)] = add_joints(glb, set);
    attributes[fmt::format("WEIGHTS_{}", set)] = add_weights(glb, set);
  }
  GlbFile::Json primitive = {{"attributes", std::move(attributes)}};
  if (rig_.mesh.faces() > 0) {
    primitive["indices"] = add_indices(glb);
  } else {
    primitive["mode"] = points_mode;
  }
  return {{"primitives", GlbFile::Json::array({std::move(primitive)})},
          {"extras", {{"marrow", {{"source_vertices", vertices_.sources()}}}}}};
}

std::size_t GlbMesh::add_positions(GlbFile& glb) const {
  const std::vector<Vec3>& positions = rig_.mesh.positions;
  Vec3 low = positions.front(), high = positions.front();
  for (const Vec3& p : positions) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const auto write = [this](ByteStream& out) {
    for (std::size_t v = 0; v < vertices_.count(); ++v) {
      const Vec3& p = rig_.mesh.positions[vertices_.source(v)];
      out.put(std::array{p.x, p.y, p.z});
    }
  };
  return glb.add({"positions", 12 * vertices_.count(), vertex_target, write},
                 {.type = "VEC3",
                  .count = vertices_.count(),
                  .limits = {{"min", {low.x, low.y, low.z}}, {"max", {high.x, high.y, high.z}}}});
}

Vec3 GlbMesh::normal(std::size_t v) const {
  if (!smooth_normals_.empty()) return smooth_normals_[vertices_.source(v)];
  const std::uint32_t corner = vertices_.corner(v);
  return corner == SeamVertices::no_corner ? Vec3{0, 0, 0} : rig_.mesh.normals[rig_.mesh.corner_normals[corner]];
}

std::size_t GlbMesh::add_normals(GlbFile& glb) const {
  const auto write = [this](ByteStream& out) {
    for (std::size_t v = 0; v < vertices_.count(); ++v) {
      const Vec3 n = normal(v);
      const double length = std::hypot(double(n.x), double(n.y), double(n.z));
      // glTF requires unit length, also where the normal is undefined.
      const std::array<float, 3> up{0, 1, 0};
      const std::array<float, 3> unit{float(n.x / length), float(n.y / length), float(n.z / length)};
      out.put(length > 0 ? unit : up);
    }
  };
  return glb.add({"normals", 12 * vertices_.count(), vertex_target, write},
                 {.type = "VEC3", .count = vertices_.count()});
}

std::size_t GlbMesh::add_uvs(GlbFile& glb) const {
  const auto write = [this](ByteStream& out) {
    for (std::size_t v = 0; v < vertices_.count(); ++v) {
      const std::uint32_t corner = vertices_.corner(v);
      const Vec2 uv = corner == SeamVertices::no_corner ? Vec2{0, 0} : rig_.mesh.uvs[rig_.mesh.corner_uvs[corner]];
      out.put(std::array{uv.x, 1 - uv.y});  // glTF's origin is the upper left
    }
  };
  return glb.add({"texture coordinates", 8 * vertices_.count(), vertex_target, write},
                 {.type = "VEC2", .count = vertices_.count()});
}

template <class Index>
void GlbMesh::write_joints(std::size_t set, ByteStream& out) const {
  std::vector<BoneWeight> row;
  for (std::size_t v = 0; v < vertices_.count(); ++v) {
    sorted_influences(rig_.weights, vertices_.source(v), row);
    std::array<Index, 4> joints{};
    for (std::size_t e = 4 * set; e < std::min(row.size(), 4 * set + 4); ++e) {
      if (row[e].weight > 0) joints[e % 4] = Index(row[e].bone);
    }
    out.put(joints);
  }
}

std::size_t GlbMesh::add_joints(GlbFile& glb, std::size_t set) const {
  const bool narrow = rig_.bones() <= 256;
  const auto write = [this, set, narrow](ByteStream& out) {
    narrow ? write_joints<std::uint8_t>(set, out) : write_joints<std::uint16_t>(set, out);
  };
  return glb.add(
      {"joints", (narrow ? 4u : 8u) * vertices_.count(), vertex_target, write},
      {.component = narrow ? ComponentType::u8 : ComponentType::u16, .type = "VEC4", .count = vertices_.count()});
}

std::size_t GlbMesh::add_weights(GlbFile& glb, std::size_t set) const {
  const auto write = [this, set](ByteStream& out) {
    std::vector<BoneWeight> row;
    for (std::size_t v = 0; v < vertices_.count(); ++v) {
      sorted_influences(rig_.weights, vertices_.source(v), row);
      std::array<float, 4> weights{};
      for (std::size_t e = 4 * set; e < std::min(row.size(), 4 * set + 4); ++e) weights[e % 4] = row[e].weight;
      out.put(weights);
    }
  };
  return glb.add({"weights", 16 * vertices_.count(), vertex_target, write},
                 {.type = "VEC4", .count = vertices_.count()});
}

/// Triangle fans, as in triangles().
template <class Index>
void GlbMesh::write_indices(ByteStream& out) const {
  const Mesh& mesh = rig_.mesh;
  for (std::size_t f = 0; f < mesh.faces(); ++f) {
    const auto index = [&](std::uint32_t corner) { return Index(vertices_.vertex(corner)); };
    const std::uint32_t first = mesh.face_offsets[f];
    for (std::uint32_t c = first + 2; c < mesh.face_offsets[f + 1]; ++c) {
      out.put(std::array{index(first), index(c - 1), index(c)});
    }
  }
}

std::size_t GlbMesh::add_indices(GlbFile& glb) const {
  const bool narrow = vertices_.count() < 65535;  // 65535 itself is not allowed as an index
  const std::uint64_t count = 3 * (rig_.mesh.face_vertices.size() - 2 * rig_.mesh.faces());
  const auto write = [this, narrow](ByteStream& out) {
    narrow ? write_indices<std::uint16_t>(out) : write_indices<std::uint32_t>(out);
  };
  return glb.add({"faces", (narrow ? 2u : 4u) * count, index_target, write},
                 {.component = narrow ? ComponentType::u16 : ComponentType::u32, .type = "SCALAR", .count = count});
}

}  // namespace marrow
