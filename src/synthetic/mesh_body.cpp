#include <algorithm>
#include <cassert>
#include <cmath>

#include "synthetic/body.hpp"
#include "synthetic/simplify.hpp"
#include "synthetic/surface_nets.hpp"

namespace marrow::synthetic {
namespace {

// Below the first number a grid would be too coarse for thin limbs: a finer one, of at least the second, is simplified.
constexpr std::size_t fewest_on_grid = 8000, fewest_to_simplify = 5000;
constexpr int most_attempts = 12;

/// One piece without handles. Quads around a closed surface have twice as many edges as there are quads, so that
/// Euler's vertices - edges + faces = 2 needs no edges. A grid that is too coarse for a thin limb tears it apart.
bool is_ball(const Mesh& quads) {
  return quads.vertices() == quads.faces() + 2 && count_shells(quads) == 1;
}

/// Surface nets whose number of vertices is the one asked for within `tolerance` of it, or the closest found.
Mesh mesh_on_grid(const Body& body, std::size_t vertices, double tolerance) {
  const auto wanted = static_cast<double>(vertices);
  const auto miss = [&](const Mesh& mesh) { return std::abs(static_cast<double>(mesh.vertices()) / wanted - 1); };
  // A surface that stands at any angle to the grid passes through about 1.5 cells per square of their size; some of the
  // limbs lie inside others.
  double spacing = std::sqrt(1.3 * body.limb_area() / wanted);
  Mesh best;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    std::optional<Mesh> mesh = surface_nets(body, spacing);
    if (!mesh || !is_ball(*mesh)) {
      spacing *= 0.99;
      continue;
    }
    spacing *= std::sqrt(static_cast<double>(mesh->vertices()) / wanted);
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
