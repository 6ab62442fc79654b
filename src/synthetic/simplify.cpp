#include "synthetic/simplify.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <limits>
#include <queue>
#include <vector>

namespace marrow::synthetic {
namespace {

constexpr double pull = 0.02;         // weight of the distance to a vertex's own place, relative to plane distances
constexpr double least_cosine = 0.3;  // smallest allowed cosine between a triangle's normals before and after

/// The quadratic x^T A x + 2 b^T x + c, A symmetric.
struct Quadric {
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  double bx = 0, by = 0, bz = 0;
  double c = 0;

  void add_plane(const Point& normal, const Point& on, double weight) {
    const double x = normal.x(), y = normal.y(), z = normal.z(), offset = -normal.dot(on);
    *this += {weight * x * x, weight * x * y,      weight * x * z,      weight * y * y,      weight * y * z,
              weight * z * z, weight * offset * x, weight * offset * y, weight * offset * z, weight * offset * offset};
  }
  void add_point(const Point& p, double weight) {
    *this +=
        {weight, 0, 0, weight, 0, weight, -weight * p.x(), -weight * p.y(), -weight * p.z(), weight * p.squaredNorm()};
  }
  Quadric& operator+=(const Quadric& o) {
    xx += o.xx, xy += o.xy, xz += o.xz, yy += o.yy, yz += o.yz, zz += o.zz;
    bx += o.bx, by += o.by, bz += o.bz;
    c += o.c;
    return *this;
  }
  /// Minimiser by cofactors. A is well conditioned: every quadric includes point distances.
  Point minimum() const {
    const double cx = yy * zz - yz * yz, cy = xz * yz - xy * zz, cz = xy * yz - xz * yy;
    const double d = -1 / (xx * cx + xy * cy + xz * cz);
    const double dy = xx * zz - xz * xz, dyz = xy * xz - xx * yz, dz = xx * yy - xy * xy;
    return {d * (cx * bx + cy * by + cz * bz), d * (cy * bx + dy * by + dyz * bz), d * (cz * bx + dyz * by + dz * bz)};
  }
  double operator()(const Point& p) const {
    const double x = p.x(), y = p.y(), z = p.z();
    return x * (xx * x + 2 * (xy * y + xz * z + bx)) + y * (yy * y + 2 * (yz * z + by)) + z * (zz * z + 2 * bz) + c;
  }
};

/// An edge to collapse; stale if an end has changed since.
struct Candidate {
  double cost;
  std::uint32_t from, to;
  std::uint32_t from_version, to_version;

  bool operator<(const Candidate& o) const {
    if (cost != o.cost) return cost > o.cost;
    return from != o.from ? from > o.from : to > o.to;
  }
};

class Simplifier {
 public:
  explicit Simplifier(const Mesh& mesh) : triangles_(triangles(mesh)), fans_(mesh.vertices()) {
    const std::size_t n = mesh.vertices();
    places_.reserve(n);
    for (const Vec3& p : mesh.positions) places_.push_back(to_point(p));
    quadrics_.resize(n);
    versions_.resize(n, 0);
    for (std::uint32_t f = 0; f < triangles_.size(); ++f) {
      const Point normal = area_vector(triangles_[f]);
      const double area = normal.norm();
      for (const std::uint32_t v : triangles_[f]) {
        fans_[v].push_back(f);
        quadrics_[v].add_plane(area > 0 ? Point(normal / area) : normal, places_[v], area);
        quadrics_[v].add_point(places_[v], pull * area + std::numeric_limits<double>::min());
      }
    }
    for (const auto& [a, b] : edges(mesh)) push(a, b);
  }

  void reduce_to(std::size_t vertices) {
    std::size_t left = places_.size();
    while (left > vertices && !queue_.empty()) {
      const Candidate next = queue_.top();
      queue_.pop();
      if (versions_[next.from] != next.from_version || versions_[next.to] != next.to_version) continue;
      if (collapse(next.from, next.to)) --left;
    }
  }

  Mesh result() const {
    Mesh mesh;
    std::vector<std::uint32_t> renumbered(places_.size());
    for (std::size_t v = 0; v < places_.size(); ++v) {
      renumbered[v] = std::uint32_t(mesh.positions.size());
      if (!fans_[v].empty()) mesh.positions.push_back(to_vec3(places_[v]));
    }
    for (const Triangle& t : triangles_) {
      if (t[0] != t[1]) add_face(mesh, renumbered[t[0]], renumbered[t[1]], renumbered[t[2]]);
    }
    return mesh;
  }

 private:
  using Triangle = std::array<std::uint32_t, 3>;
  static constexpr std::uint32_t gone = std::numeric_limits<std::uint32_t>::max();

  Point area_vector(const Triangle& t) const {
    const Point &a = places_[t[0]], &b = places_[t[1]], &c = places_[t[2]];
    const double ux = b.x() - a.x(), uy = b.y() - a.y(), uz = b.z() - a.z();
    const double vx = c.x() - a.x(), vy = c.y() - a.y(), vz = c.z() - a.z();
    return {uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx};
  }

  static bool has(const Triangle& t, std::uint32_t v) { return t[0] == v || t[1] == v || t[2] == v; }

  void push(std::uint32_t a, std::uint32_t b) {
    Quadric q = quadrics_[a];
    q += quadrics_[b];
    queue_.push({q(q.minimum()), std::min(a, b), std::max(a, b), versions_[std::min(a, b)], versions_[std::max(a, b)]});
  }

  std::vector<std::uint32_t> neighbours(std::uint32_t v) const {
    std::vector<std::uint32_t> out;
    for (const std::uint32_t f : fans_[v]) {
      for (const std::uint32_t u : triangles_[f]) {
        if (u != v) out.push_back(u);
      }
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  /// Link condition (Dey et al. 1999): the ends share exactly the two vertices opposite the edge. These need fans of
  /// more than three triangles, or the surface folds flat.
  bool keeps_topology(std::uint32_t a, std::uint32_t b) const {
    std::vector<std::uint32_t> common;
    std::ranges::set_intersection(neighbours(a), neighbours(b), std::back_inserter(common));
    return common.size() == 2 && fans_[common[0]].size() > 3 && fans_[common[1]].size() > 3;
  }

  /// Whether the triangles around `v` without `other` keep their orientation if v moves to `place`.
  bool keeps_normals(std::uint32_t v, std::uint32_t other, const Point& place) {
    const Point old = places_[v];
    for (const std::uint32_t f : fans_[v]) {
      if (has(triangles_[f], other)) continue;
      const Point before = area_vector(triangles_[f]);
      places_[v] = place;
      const Point after = area_vector(triangles_[f]);
      places_[v] = old;
      if (before.dot(after) <= least_cosine * before.norm() * after.norm()) return false;
    }
    return true;
  }

  /// Collapses edge (a, b) into vertex a; false if that would damage the surface.
  bool collapse(std::uint32_t a, std::uint32_t b) {
    Quadric q = quadrics_[a];
    q += quadrics_[b];
    const Point place = q.minimum();
    if (!keeps_topology(a, b) || !keeps_normals(a, b, place) || !keeps_normals(b, a, place)) return false;
    places_[a] = place;
    quadrics_[a] = q;
    for (const std::uint32_t f : fans_[b]) {
      Triangle& t = triangles_[f];
      if (has(t, a)) {
        for (const std::uint32_t v : t) {
          if (v != b) std::erase(fans_[v], f);
        }
        t = {gone, gone, gone};
      } else {
        std::ranges::replace(t, b, a);
        fans_[a].push_back(f);
      }
    }
    fans_[b].clear();
    ++versions_[a];
    ++versions_[b];
    for (const std::uint32_t v : neighbours(a)) push(a, v);
    return true;
  }

  std::vector<Triangle> triangles_;
  std::vector<std::vector<std::uint32_t>> fans_;  // triangles around each vertex
  std::vector<Point> places_;
  std::vector<Quadric> quadrics_;
  std::vector<std::uint32_t> versions_;
  std::priority_queue<Candidate> queue_;
};

}  // namespace

Mesh simplify(const Mesh& mesh, std::size_t vertices) {
  Simplifier simplifier(mesh);
  simplifier.reduce_to(vertices);
  return simplifier.result();
}

}  // namespace marrow::synthetic
