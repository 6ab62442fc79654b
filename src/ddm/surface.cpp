#include "ddm/surface.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>
#include <tuple>

#include "marrow/mesh.hpp"

namespace marrow::ddm {
namespace {

constexpr double least_edge = 1e-3, most_cotangent = 1e3;
constexpr float same_weight = 1e-2F;

/// Whether the weights of every bone differ only by rounding and quantisation.
bool nearly_equal_weights(const Weights& w, std::uint32_t a, std::uint32_t b) {
  const auto weight_in = [&](std::uint32_t vertex, std::uint32_t bone) {
    const auto bones = w.row_bones(vertex);
    const auto found = std::ranges::find(bones, bone);
    return found == bones.end() ? 0.0F : w.row_values(vertex)[std::size_t(found - bones.begin())];
  };
  const auto fits = [&](std::uint32_t from, std::uint32_t to) {
    return std::ranges::all_of(w.row_bones(from), [&](std::uint32_t bone) {
      return std::abs(weight_in(from, bone) - weight_in(to, bone)) <= same_weight;
    });
  };
  return fits(a, b) && fits(b, a);
}

/// Per vertex the first one with its position and weights.
std::vector<std::uint32_t> group(const Rig& rig) {
  const std::vector<Vec3>& positions = rig.mesh.positions;
  std::vector<std::uint32_t> order(rig.vertices()), first(rig.vertices());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t i) {
    const Vec3& p = positions[i];
    return std::tuple(p.x, p.y, p.z, i);
  });
  std::vector<std::uint32_t> here;  // first vertices at the current position
  for (const std::uint32_t i : order) {
    if (!here.empty() && positions[here.front()] != positions[i]) here.clear();
    const auto same =
        std::ranges::find_if(here, [&](std::uint32_t other) { return nearly_equal_weights(rig.weights, i, other); });
    first[i] = same == here.end() ? i : *same;
    if (same == here.end()) here.push_back(i);
  }
  return first;
}

std::vector<std::array<std::uint32_t, 3>> clean_triangles(const Mesh& mesh,
                                                          const std::vector<std::uint32_t>& point_of) {
  using Triangle = std::array<std::uint32_t, 3>;
  std::vector<Triangle> out;
  for (const auto& [a, b, c] : triangles(mesh)) {
    Triangle t{point_of[a], point_of[b], point_of[c]};
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    // Starts at the smallest index; keeps the orientation.
    std::rotate(t.begin(), std::ranges::min_element(t), t.end());
    out.push_back(t);
  }
  const auto unordered = [](const Triangle& t) { return Triangle{t[0], std::min(t[1], t[2]), std::max(t[1], t[2])}; };
  std::ranges::sort(out, [&](const Triangle& a, const Triangle& b) {
    return std::pair(unordered(a), a) < std::pair(unordered(b), b);
  });
  const auto same = [&](const Triangle& a, const Triangle& b) { return unordered(a) == unordered(b); };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  return out;
}

}  // namespace

WeldedSurface weld(const Rig& rig) {
  WeldedSurface surface;
  const std::vector<std::uint32_t> first = group(rig);
  surface.point_of.resize(rig.vertices());
  Eigen::AlignedBox3d box;
  for (std::uint32_t i = 0; i < rig.vertices(); ++i) {
    if (first[i] == i) {
      const Vec3& p = rig.mesh.positions[i];
      surface.point_of[i] = std::uint32_t(surface.points.size());
      surface.vertex_of.push_back(i);
      surface.points.emplace_back(p.x, p.y, p.z);
      box.extend(surface.points.back());
    } else {
      surface.point_of[i] = surface.point_of[first[i]];
    }
  }
  surface.middle = box.center();
  surface.size = box.diagonal().norm();
  for (Point& p : surface.points) p -= surface.middle;
  surface.triangles = clean_triangles(rig.mesh, surface.point_of);
  return surface;
}

SparseMatrix laplacian(const WeldedSurface& surface) {
  // Upper triangle first: the sum of half cotangents per edge is clamped.
  std::vector<Eigen::Triplet<double>> halves;
  halves.reserve(3 * surface.triangles.size());
  for (const auto& t : surface.triangles) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t a = t[(c + 1) % 3], b = t[(c + 2) % 3];
      const Point u = surface.points[a] - surface.points[t[c]], w = surface.points[b] - surface.points[t[c]];
      const double dot = u.dot(w), cross = u.cross(w).norm();
      // If both are zero, two corners coincide: any finite value will do.
      const double cotangent =
          cross > std::abs(dot) / most_cotangent ? dot / cross : std::copysign(most_cotangent, dot);
      halves.emplace_back(int(std::min(a, b)), int(std::max(a, b)), cotangent / 2);
    }
  }
  const auto n = Eigen::Index(surface.count());
  SparseMatrix edges(n, n);
  edges.setFromTriplets(halves.begin(), halves.end());
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(std::size_t(4 * edges.nonZeros()));
  for (int column = 0; column < edges.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator e(edges, column); e; ++e) {
      const double w = std::clamp(e.value(), least_edge, most_cotangent);
      const auto a = int(e.row()), b = int(e.col());
      entries.emplace_back(a, b, -w);
      entries.emplace_back(b, a, -w);
      entries.emplace_back(a, a, w);
      entries.emplace_back(b, b, w);
    }
  }
  SparseMatrix out(n, n);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

Eigen::VectorXd point_areas(const WeldedSurface& surface) {
  Eigen::VectorXd areas = Eigen::VectorXd::Zero(Eigen::Index(surface.count()));
  for (const auto& [a, b, c] : surface.triangles) {
    const Point u = surface.points[b] - surface.points[a], w = surface.points[c] - surface.points[a];
    for (const std::uint32_t v : {a, b, c}) areas[v] += u.cross(w).norm() / 6;
  }
  const double mean = areas.mean();
  // Without any area: an equal share of the squared size.
  const double even = surface.size > 0 ? surface.size * surface.size / double(surface.count()) : 1;
  return areas.cwiseMax(mean > 0 ? 1e-6 * mean : even);
}

}  // namespace marrow::ddm
