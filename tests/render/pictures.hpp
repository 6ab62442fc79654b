#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "marrow/mesh.hpp"
#include "marrow/render.hpp"

namespace marrow::testing {

inline constexpr Rgb paper{250, 250, 248};

inline Rgb pixel(const Image& image, int x, int y) {
  return image.pixels[std::size_t(y) * std::size_t(image.width) + std::size_t(x)];
}

/// Pixels that are not `background`, and the box around them: [left, right) x [top, bottom).
struct Found {
  int count = 0;
  int left = 1 << 20, right = 0, top = 1 << 20, bottom = 0;
  double x = 0, y = 0;  ///< their average place, as a fraction of the picture

  void add(int px, int py) {
    ++count;
    left = std::min(left, px);
    right = std::max(right, px + 1);
    top = std::min(top, py);
    bottom = std::max(bottom, py + 1);
  }
};

template <class Rule>
Found find_pixels(const Image& image, Rule&& rule) {
  Found found;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (!rule(x, y)) continue;
      found.add(x, y);
      found.x += (x + 0.5) / image.width;
      found.y += (y + 0.5) / image.height;
    }
  }
  found.x /= std::max(found.count, 1);
  found.y /= std::max(found.count, 1);
  return found;
}

inline Found drawn(const Image& image, Rgb background = paper) {
  return find_pixels(image, [&](int x, int y) { return pixel(image, x, y) != background; });
}

inline Found changed(const Image& before, const Image& after) {
  return find_pixels(after, [&](int x, int y) { return pixel(before, x, y) != pixel(after, x, y); });
}

inline Mesh triangle_mesh(std::vector<Vec3> positions) {
  Mesh mesh;
  mesh.positions = std::move(positions);
  mesh.face_offsets.push_back(0);
  for (std::uint32_t v = 0; v < mesh.positions.size(); ++v) {
    mesh.face_vertices.push_back(v);
    if (v % 3 == 2) mesh.face_offsets.push_back(v + 1);
  }
  return mesh;
}

/// n x n vertices at place(column, row), joined by squares.
template <class Place>
Mesh grid_mesh(std::uint32_t n, Place&& place) {
  Mesh mesh;
  mesh.face_offsets.push_back(0);
  for (std::uint32_t row = 0; row < n; ++row) {
    for (std::uint32_t column = 0; column < n; ++column) {
      mesh.positions.push_back(place(float(column), float(row)));
      if (row + 1 == n || column + 1 == n) continue;
      const std::uint32_t v = row * n + column;
      for (const std::uint32_t corner : {v, v + 1, v + n + 1, v + n}) mesh.face_vertices.push_back(corner);
      mesh.face_offsets.push_back(std::uint32_t(mesh.face_vertices.size()));
    }
  }
  return mesh;
}

/// A closed box between two corners, faces outwards.
inline void add_box(Mesh& mesh, Vec3 low, Vec3 high) {
  const auto base = std::uint32_t(mesh.positions.size());
  for (unsigned k = 0; k < 8; ++k) {
    mesh.positions.push_back(
        {(k & 1) != 0 ? high.x : low.x, (k & 2) != 0 ? high.y : low.y, (k & 4) != 0 ? high.z : low.z});
  }
  if (mesh.face_offsets.empty()) mesh.face_offsets.push_back(0);
  for (const auto& face : {std::array{0U, 2U, 3U, 1U},
                           {4U, 5U, 7U, 6U},
                           {0U, 1U, 5U, 4U},
                           {2U, 6U, 7U, 3U},
                           {0U, 4U, 6U, 2U},
                           {1U, 3U, 7U, 5U}}) {
    for (const unsigned v : face) mesh.face_vertices.push_back(base + v);
    mesh.face_offsets.push_back(std::uint32_t(mesh.face_vertices.size()));
  }
}

inline RenderOptions small(View view) {
  RenderOptions options;
  options.width = 120;
  options.height = 90;
  options.view = view;
  return options;
}

}  // namespace marrow::testing
