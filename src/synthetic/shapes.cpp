#include "synthetic/shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace marrow::synthetic {
namespace {

std::size_t rounded(double x, std::size_t least) {
  return std::max(std::size_t(std::max(std::round(x), 0.0)), least);
}

double fraction(std::size_t i, std::size_t count) {
  return double(i) / double(count);
}

/// Points on the surface of an integer lattice of nx x ny x nz cells, numbered layer by layer: the bottom and top layer
/// in full, the outline of the others.
class BoxLattice {
 public:
  BoxLattice(std::size_t nx, std::size_t ny, std::size_t nz) : nx_(nx), ny_(ny), nz_(nz) {}

  std::size_t size() const { return 2 * full() + (nz_ - 1) * outline(); }

  std::size_t index(std::size_t x, std::size_t y, std::size_t z) const {
    if (z == 0) return y * (nx_ + 1) + x;
    if (z == nz_) return full() + (nz_ - 1) * outline() + y * (nx_ + 1) + x;
    return full() + (z - 1) * outline() + around(x, y);
  }

  template <class Visit>
  void for_each_point(Visit visit) const {
    for (std::size_t z = 0; z <= nz_; ++z) {
      for (std::size_t y = 0; y <= ny_; ++y) {
        const bool inner_row = z > 0 && z < nz_ && y > 0 && y < ny_;
        for (std::size_t x = 0; x <= nx_; x += inner_row ? nx_ : 1) visit(x, y, z);
      }
    }
  }

 private:
  std::size_t full() const { return (nx_ + 1) * (ny_ + 1); }
  std::size_t outline() const { return 2 * (nx_ + ny_); }
  std::size_t around(std::size_t x, std::size_t y) const {
    if (y == 0) return x;
    if (y == ny_) return nx_ + 2 * ny_ - 1 + x;
    return nx_ + 2 * y - (x == 0 ? 1 : 0);
  }

  std::size_t nx_, ny_, nz_;
};

/// Cells along x, y and z, as equal as possible, whose 2 (xy + yz + zx) + 2 surface points come closest to `vertices`.
std::array<std::size_t, 3> cells_for(std::size_t vertices) {
  const double per_side = std::sqrt(std::max(double(vertices) - 2, 6.0) / 6);
  const std::size_t low = std::size_t(per_side);
  std::array<std::size_t, 3> best{low, low, low};
  const auto miss = [&](const std::array<std::size_t, 3>& n) {
    const std::size_t points = 2 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]) + 2;
    return points > vertices ? points - vertices : vertices - points;
  };
  for (std::size_t larger = 1; larger <= 3; ++larger) {
    std::array<std::size_t, 3> n{low, low, low};
    for (std::size_t e = 0; e < larger; ++e) ++n[e];
    if (miss(n) < miss(best)) best = n;
  }
  return best;
}

/// The two sides of the box across `axis`, as quads.
void add_sides(Mesh& mesh, const BoxLattice& lattice, const std::array<std::size_t, 3>& n, std::size_t axis) {
  const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
  const auto at = [&](std::size_t i, std::size_t j, std::size_t layer) {
    std::array<std::size_t, 3> p;
    p[axis] = layer;
    p[b] = i;
    p[c] = j;
    return lattice.index(p[0], p[1], p[2]);
  };
  for (std::size_t j = 0; j < n[c]; ++j) {
    for (std::size_t i = 0; i < n[b]; ++i) {
      const std::size_t top = n[axis];
      add_face(mesh, at(i, j, 0), at(i, j + 1, 0), at(i + 1, j + 1, 0), at(i + 1, j, 0));
      add_face(mesh, at(i, j, top), at(i + 1, j, top), at(i + 1, j + 1, top), at(i, j + 1, top));
    }
  }
}

/// Maps the surface of [-1, 1]^3 by `place`.
template <class Place>
Mesh box_surface(std::size_t vertices, Place place) {
  const std::array<std::size_t, 3> n = cells_for(vertices);
  const BoxLattice lattice(n[0], n[1], n[2]);
  Mesh mesh;
  mesh.positions.resize(lattice.size());
  lattice.for_each_point([&](std::size_t x, std::size_t y, std::size_t z) {
    const Point p(2 * fraction(x, n[0]) - 1, 2 * fraction(y, n[1]) - 1, 2 * fraction(z, n[2]) - 1);
    mesh.positions[lattice.index(x, y, z)] = to_vec3(place(p));
  });
  for (std::size_t axis = 0; axis < 3; ++axis) add_sides(mesh, lattice, n, axis);
  return mesh;
}

}  // namespace

Mesh cube(std::size_t vertices) {
  return box_surface(vertices, [](const Point& p) { return p; });
}

Mesh ball(std::size_t vertices) {
  return box_surface(vertices, [](const Point& p) -> Point {
    const Point warped = p.unaryExpr([](double x) { return std::tan(x * pi / 4); });
    return warped.normalized();
  });
}

Mesh torus(std::size_t vertices, double tube_radius) {
  // Nearly square quads: the circumferences have the ratio 1 : tube_radius.
  const auto n = double(vertices);
  const std::size_t around_tube = rounded(std::sqrt(n * tube_radius), 3);
  const std::size_t around_axis = rounded(n / double(around_tube), 3);
  Mesh mesh;
  for (std::size_t i = 0; i < around_axis; ++i) {
    const double a = 2 * pi * fraction(i, around_axis);
    for (std::size_t j = 0; j < around_tube; ++j) {
      const double b = 2 * pi * fraction(j, around_tube), r = 1 + tube_radius * std::cos(b);
      mesh.positions.push_back(to_vec3({r * std::cos(a), tube_radius * std::sin(b), r * std::sin(a)}));
      const std::size_t i1 = (i + 1) % around_axis, j1 = (j + 1) % around_tube;
      add_face(mesh, i * around_tube + j, i * around_tube + j1, i1 * around_tube + j1, i1 * around_tube + j);
    }
  }
  return mesh;
}

namespace {

/// A ring of the capped tube: position along the axis and radius.
struct Ring {
  double x, radius;
};

std::vector<Ring> tube_profile(std::size_t along, std::size_t on_cap, double length, double radius) {
  std::vector<Ring> rings;
  for (std::size_t i = 1; i <= on_cap; ++i) rings.push_back({0, radius * fraction(i, on_cap)});
  for (std::size_t i = 1; i < along; ++i) rings.push_back({length * fraction(i, along), radius});
  for (std::size_t i = on_cap; i >= 1; --i) rings.push_back({length, radius * fraction(i, on_cap)});
  return rings;
}

/// Texture coordinates in rows of segments + 1: the last column repeats the first at u = 1. First and last row belong
/// to the poles.
void add_tube_uvs(Mesh& mesh, const std::vector<Ring>& rings, std::size_t segments) {
  std::vector<double> v{0};
  Ring previous{rings.front().x, 0};
  for (const Ring& ring : rings) {
    v.push_back(v.back() + std::hypot(ring.x - previous.x, ring.radius - previous.radius));
    previous = ring;
  }
  v.push_back(v.back() + previous.radius);
  for (const double height : v) {
    for (std::size_t s = 0; s <= segments; ++s) {
      mesh.uvs.push_back({float(fraction(s, segments)), float(height / v.back())});
    }
  }
}

}  // namespace

Mesh capped_tube(std::size_t vertices, double length, double radius) {
  // Square quads of side s: n s^2 is about 2 pi radius length plus the two discs.
  const double side = std::sqrt((2 * pi * radius * length + 2 * pi * radius * radius) / double(vertices));
  const std::size_t segments = rounded(2 * pi * radius / side, 4);
  const std::size_t on_cap = rounded(radius / side, 1);
  const std::size_t rows = rounded((double(vertices) - 2) / double(segments), 2 * on_cap + 1);
  const std::vector<Ring> rings = tube_profile(rows - 2 * on_cap + 1, on_cap, length, radius);

  Mesh mesh;
  mesh.positions.push_back(to_vec3({0, 0, 0}));
  for (const Ring& ring : rings) {
    for (std::size_t s = 0; s < segments; ++s) {
      const double a = 2 * pi * fraction(s, segments);
      mesh.positions.push_back(to_vec3({ring.x, ring.radius * std::cos(a), ring.radius * std::sin(a)}));
    }
  }
  mesh.positions.push_back(to_vec3({length, 0, 0}));
  add_tube_uvs(mesh, rings, segments);

  const auto at = [&](std::size_t row, std::size_t s) {
    if (row == 0) return std::size_t(0);
    return row <= rings.size() ? 1 + (row - 1) * segments + s % segments : mesh.positions.size() - 1;
  };
  const auto uv = [&](std::size_t row, std::size_t s) { return std::uint32_t(row * (segments + 1) + s); };
  for (std::size_t row = 0; row <= rings.size(); ++row) {
    for (std::size_t s = 0; s < segments; ++s) {
      if (row == 0) {
        add_face(mesh, at(0, s), at(1, s + 1), at(1, s));
        mesh.corner_uvs.insert(mesh.corner_uvs.end(), {uv(0, s), uv(1, s + 1), uv(1, s)});
      } else if (row == rings.size()) {
        add_face(mesh, at(row, s), at(row, s + 1), at(row + 1, s));
        mesh.corner_uvs.insert(mesh.corner_uvs.end(), {uv(row, s), uv(row, s + 1), uv(row + 1, s)});
      } else {
        add_face(mesh, at(row, s), at(row, s + 1), at(row + 1, s + 1), at(row + 1, s));
        mesh.corner_uvs.insert(mesh.corner_uvs.end(), {uv(row, s), uv(row, s + 1), uv(row + 1, s + 1), uv(row + 1, s)});
      }
    }
  }
  return mesh;
}

}  // namespace marrow::synthetic
