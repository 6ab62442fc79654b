#include "marrow/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/check.hpp"

namespace marrow {
namespace {

constexpr const char* the_mesh = "Mesh";

void check_corner_indices(const Mesh& mesh, const std::vector<std::uint32_t>& indices, std::size_t count,
                          const char* field, const char* target) {
  require(indices.size() == mesh.face_vertices.size(), the_mesh, [&] {
    return fmt::format("{} has {} entries, but there are {} face corners", field, indices.size(),
                       mesh.face_vertices.size());
  });
  const auto bad = std::ranges::find_if(indices, [&](std::uint32_t v) { return v >= count; });
  require(bad == indices.end(), the_mesh, [&] {
    return fmt::format("{}[{}] is {}, but there are only {} {}", field, bad - indices.begin(), *bad, count, target);
  });
}

void check_finite(std::span<const Vec3> points, const char* field) {
  const std::size_t bad = first_not_finite(points);
  require(bad == points.size(), the_mesh, [&] { return fmt::format("{}[{}] is not finite", field, bad); });
}

}  // namespace

std::size_t first_not_finite(std::span<const Vec3> points) {
  constexpr std::size_t chunk = 1024;
  for (std::size_t begin = 0; begin < points.size(); begin += chunk) {
    const std::size_t end = std::min(begin + chunk, points.size());
    // Infinity and NaN are the floats with all exponent bits set. Without branches, the compiler vectorises the test.
    constexpr std::uint32_t exponent = 0x7F800000;
    const float* values = &points[begin].x;
    std::uint32_t bad = 0;
    for (std::size_t k = 0; k < 3 * (end - begin); ++k) {
      bad |= std::uint32_t((std::bit_cast<std::uint32_t>(values[k]) & exponent) == exponent);
    }
    if (bad == 0) continue;
    for (std::size_t i = begin; i < end; ++i) {
      if (!is_finite(points[i])) return i;
    }
  }
  return points.size();
}

void validate(const Mesh& mesh) {
  check_finite(mesh.positions, "positions");
  check_finite(mesh.normals, "normals");
  require(mesh.face_offsets.size() != 1, the_mesh,
          [] { return "face_offsets has one entry; it needs none or faces + 1"; });
  if (mesh.face_offsets.empty()) {
    require(mesh.face_vertices.empty(), the_mesh,
            [] { return "face_vertices has entries, but face_offsets has none"; });
  } else {
    require(mesh.face_offsets.front() == 0, the_mesh, [] { return "face_offsets[0] is not 0"; });
    for (std::size_t f = 0; f + 1 < mesh.face_offsets.size(); ++f) {
      require(mesh.face_offsets[f + 1] >= mesh.face_offsets[f] + 3 && mesh.face_offsets[f + 1] > mesh.face_offsets[f],
              the_mesh, [&] { return fmt::format("face {} has fewer than 3 corners", f); });
    }
    require(mesh.face_offsets.back() == mesh.face_vertices.size(), the_mesh, [&] {
      return fmt::format("face_offsets ends at {}, but there are {} face corners", mesh.face_offsets.back(),
                         mesh.face_vertices.size());
    });
  }
  check_corner_indices(mesh, mesh.face_vertices, mesh.vertices(), "face_vertices", "vertices");
  if (!mesh.corner_uvs.empty()) check_corner_indices(mesh, mesh.corner_uvs, mesh.uvs.size(), "corner_uvs", "uvs");
  if (!mesh.corner_normals.empty()) {
    check_corner_indices(mesh, mesh.corner_normals, mesh.normals.size(), "corner_normals", "normals");
  }
}

std::vector<std::array<std::uint32_t, 3>> triangles(const Mesh& mesh) {
  std::vector<std::array<std::uint32_t, 3>> out;
  out.reserve(mesh.face_vertices.size() - 2 * mesh.faces());
  for (std::size_t f = 0; f < mesh.faces(); ++f) {
    const std::uint32_t* v = mesh.face_vertices.data() + mesh.face_offsets[f];
    const std::uint32_t corners = mesh.face_offsets[f + 1] - mesh.face_offsets[f];
    for (std::uint32_t c = 2; c < corners; ++c) out.push_back({v[0], v[c - 1], v[c]});
  }
  return out;
}

std::vector<std::array<std::uint32_t, 2>> edges(const Mesh& mesh) {
  std::vector<std::array<std::uint32_t, 2>> out;
  out.reserve(mesh.face_vertices.size());
  for (std::size_t f = 0; f < mesh.faces(); ++f) {
    std::uint32_t previous = mesh.face_vertices[mesh.face_offsets[f + 1] - 1];
    for (std::uint32_t c = mesh.face_offsets[f]; c < mesh.face_offsets[f + 1]; ++c) {
      const std::uint32_t v = mesh.face_vertices[c];
      if (v != previous) out.push_back({std::min(v, previous), std::max(v, previous)});
      previous = v;
    }
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<Vec3> vertex_normals(const Mesh& mesh, std::span<const Vec3> positions) {
  std::vector<std::array<double, 3>> sums(positions.size(), {0, 0, 0});
  for (std::size_t f = 0; f < mesh.faces(); ++f) {
    const std::uint32_t* v = mesh.face_vertices.data() + mesh.face_offsets[f];
    const std::uint32_t corners = mesh.face_offsets[f + 1] - mesh.face_offsets[f];
    const Vec3& a = positions[v[0]];
    // Twice the area vector of the polygon: sum over its triangle fan.
    std::array<double, 3> n{0, 0, 0};
    for (std::uint32_t c = 2; c < corners; ++c) {
      const Vec3 &p = positions[v[c - 1]], &q = positions[v[c]];
      const double ux = double(p.x) - a.x, uy = double(p.y) - a.y, uz = double(p.z) - a.z;
      const double wx = double(q.x) - a.x, wy = double(q.y) - a.y, wz = double(q.z) - a.z;
      n[0] += uy * wz - uz * wy;
      n[1] += uz * wx - ux * wz;
      n[2] += ux * wy - uy * wx;
    }
    for (std::uint32_t c = 0; c < corners; ++c) {
      for (std::size_t r = 0; r < 3; ++r) sums[v[c]][r] += n[r];
    }
  }
  std::vector<Vec3> normals(positions.size());
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const auto& s = sums[i];
    const double length = std::sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    normals[i] = length > 0 ? Vec3{float(s[0] / length), float(s[1] / length), float(s[2] / length)} : Vec3{0, 1, 0};
  }
  return normals;
}

std::size_t count_shells(const Mesh& mesh) {
  std::vector<std::uint32_t> parent(mesh.vertices());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto find = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  std::size_t shells = mesh.vertices();
  for (std::size_t f = 0; f < mesh.faces(); ++f) {
    const std::uint32_t a = mesh.face_vertices[mesh.face_offsets[f]];
    for (std::uint32_t c = mesh.face_offsets[f] + 1; c < mesh.face_offsets[f + 1]; ++c) {
      const std::uint32_t p = find(a), q = find(mesh.face_vertices[c]);
      if (p == q) continue;
      parent[std::max(p, q)] = std::min(p, q);
      --shells;
    }
  }
  return shells;
}

}  // namespace marrow
