#include "io/glb_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace marrow::glb {
namespace {

/// The list of exactly `size` numbers under `key`; nullopt if missing.
std::optional<std::vector<double>> fixed_numbers(const Document& document, const Json& json, const char* key,
                                                 std::size_t size, const std::string& place) {
  std::optional<std::vector<double>> values = document.numbers(json, key, place);
  if (values && values->size() != size) {
    document.fail(place, fmt::format("{} has {} numbers instead of {}", key, values->size(), size));
  }
  return values;
}

Placement read_placement(const Document& document, const Json& json, const std::string& place) {
  Placement out;
  if (const auto t = fixed_numbers(document, json, "translation", 3, place)) {
    out.translation = {(*t)[0], (*t)[1], (*t)[2]};
  }
  if (const auto r = fixed_numbers(document, json, "rotation", 4, place)) {
    out.rotation = unit_quaternion((*r)[0], (*r)[1], (*r)[2], (*r)[3]);
  }
  if (const auto s = fixed_numbers(document, json, "scale", 3, place)) out.scale = {(*s)[0], (*s)[1], (*s)[2]};
  return out;
}

Node read_node(const Document& document, const Json& json, const std::string& place) {
  Node node;
  node.name = Document::text(json, "name");
  node.mesh = document.reference(json, "mesh", "meshes", place);
  node.skin = document.reference(json, "skin", "skins", place);
  if (const auto m = fixed_numbers(document, json, "matrix", 16, place)) {
    node.matrix.emplace();
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t column = 0; column < 4; ++column) (*node.matrix)(row, column) = (*m)[4 * column + row];
    }
  }
  return node;
}

/// Morph weights of a node: its own, else those of its mesh.
std::vector<double> read_weights(const Document& document, const Json& json, const Node& node,
                                 const std::string& place) {
  if (!node.mesh) return {};
  if (auto own = document.numbers(json, "weights", place)) return std::move(*own);
  const std::string mesh_place = fmt::format("meshes[{}]", *node.mesh);
  auto weights = document.numbers(document.item("meshes", *node.mesh), "weights", mesh_place);
  if (!weights) return {};
  document.charge(weights->size(), sizeof(double), mesh_place);
  return std::move(*weights);
}

/// All nodes, parents first. A node has at most one parent, so that nodes not reached from a root lie on or below a
/// cycle.
std::vector<std::size_t> parents_first(const Document& document, const std::vector<Node>& nodes,
                                       const std::vector<std::vector<std::size_t>>& children) {
  std::vector<std::size_t> order;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (!nodes[n].parent) order.push_back(n);
  }
  for (std::size_t e = 0; e < order.size(); ++e) {
    order.insert(order.end(), children[order[e]].begin(), children[order[e]].end());
  }
  if (order.size() != nodes.size()) {
    std::vector<bool> reached(nodes.size(), false);
    for (const std::size_t n : order) reached[n] = true;
    const std::size_t lost = std::size_t(std::ranges::find(reached, false) - reached.begin());
    document.fail(fmt::format("nodes[{}]", lost), "is its own ancestor, or below such a node; the file is damaged");
  }
  return order;
}

void mark_visible(const Document& document, Scene& scene) {
  const std::optional<std::size_t> shown = document.default_scene();
  if (shown) {
    const std::string place = fmt::format("scenes[{}]", *shown);
    for (const std::size_t root : document.references(document.item("scenes", *shown), "nodes", "nodes", place)) {
      scene.nodes[root].visible = true;
    }
  }
  for (const std::size_t n : scene.order) {
    Node& node = scene.nodes[n];
    if (node.parent ? scene.nodes[*node.parent].visible : !shown) node.visible = true;
  }
}

Affine to_affine(const Placement& p) {
  const Eigen::Matrix3d linear = p.rotation.toRotationMatrix() * p.scale.asDiagonal();
  Affine out;
  for (int row = 0; row < 3; ++row) {
    const auto r = std::size_t(row);
    for (int column = 0; column < 3; ++column) out(r, std::size_t(column)) = linear(row, column);
    out(r, 3) = p.translation[row];
  }
  return out;
}

}  // namespace

Eigen::Quaterniond unit_quaternion(double x, double y, double z, double w) {
  const Eigen::Quaterniond q(w, x, y, z);
  const double length = q.coeffs().stableNorm();
  if (!(length > 0) || !std::isfinite(length)) return Eigen::Quaterniond::Identity();
  return Eigen::Quaterniond(q.coeffs() / length);
}

Scene read_scene(const Document& document) {
  Scene scene;
  const std::size_t count = document.count("nodes");
  scene.nodes.reserve(count);
  std::vector<std::vector<std::size_t>> children(count);
  for (std::size_t n = 0; n < count; ++n) {
    const std::string place = fmt::format("nodes[{}]", n);
    const Json& json = document.item("nodes", n);
    scene.nodes.push_back(read_node(document, json, place));
    scene.pose.placements.push_back(read_placement(document, json, place));
    scene.pose.weights.push_back(read_weights(document, json, scene.nodes.back(), place));
    children[n] = document.references(json, "children", "nodes", place);
  }
  for (std::size_t n = 0; n < count; ++n) {
    for (const std::size_t child : children[n]) {
      if (scene.nodes[child].parent) {
        document.fail(fmt::format("nodes[{}]", n), fmt::format("node {} has two parents", child));
      }
      scene.nodes[child].parent = n;
    }
  }
  scene.order = parents_first(document, scene.nodes, children);
  mark_visible(document, scene);
  return scene;
}

std::vector<Affine> world_transforms(const Scene& scene, std::span<const Placement> placements) {
  std::vector<Affine> world(scene.nodes.size());
  for (const std::size_t n : scene.order) {
    const Node& node = scene.nodes[n];
    const Affine local = node.matrix ? *node.matrix : to_affine(placements[n]);
    world[n] = node.parent ? world[*node.parent] * local : local;
  }
  return world;
}

}  // namespace marrow::glb
