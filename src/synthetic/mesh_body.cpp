#include <algorithm>
#include <cassert>
#include <cmath>

#include "synthetic/body.hpp"
#include "synthetic/simplify.hpp"
#include "synthetic/surface_nets.hpp"

namespace marrow::synthetic {
namespace {

// Below `fewest_on_grid` vertices a grid is too coarse for thin limbs: simplify one of at least `fewest_to_simplify`.
constexpr std::size_t fewest_on_grid = 8000, fewest_to_simplify = 5000;
constexpr int most_attempts = 12;

/// True for one piece without handles. Closed quad meshes have twice as many edges as faces, so that Euler's formula V
/// - E + F = 2 needs no edges. Grids that are too coarse tear thin limbs off.
bool is_ball(const Mesh& quads) {
  return quads.vertices() == quads.faces() + 2 && count_shells(quads) == 1;
}

/// Surface nets with the requested number of vertices within the relative `tolerance`, or the closest found.
Mesh mesh_on_grid(const Body& body, std::size_t vertices, double tolerance) {
  const auto wanted = double(vertices);
  const auto miss = [&](const Mesh& mesh) { return std::abs(double(mesh.vertices()) / wanted - 1); };
  // Heuristic: a surface crosses about 1.5 cells per spacing^2 of area, and part of the limbs' area lies inside others.
  double spacing = std::sqrt(1.3 * body.limb_area() / wanted);
  Mesh best;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    std::optional<Mesh> mesh = surface_nets(body, spacing);
    if (!mesh || !is_ball(*mesh)) {
      spacing *= 0.99;
      continue;
    }
    spacing *= std::sqrt(double(mesh->vertices()) / wanted);
    if (best.positions.empty() || miss(*mesh) < miss(best)) best = std::move(*mesh);
    if (miss(best) <= tolerance) break;
  }
  assert(!best.positions.empty());
  return best;
}

}  // namespace

Mesh mesh_body(const Body& body, std::size_t vertices) {
  if (vertices >= fewest_on_grid) return mesh_on_grid(body, vertices, 0.03);
  const std::size_t before = std::clamp(4 * vertices, fewest_to_simplify, 2 * fewest_on_grid);
  return simplify(mesh_on_grid(body, before, 0.4), vertices);
}

}  // namespace marrow::synthetic
