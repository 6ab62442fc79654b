// glTF 2.0, section 3.7: meshes, and the weights of skins.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "io/gltf_tables.hpp"

namespace marrow::glb {
namespace {

using MeshJson = Tables::OrderedJson;

constexpr int vertex_view = 34962, index_view = 34963;
constexpr std::size_t points_kind = 0, triangles_kind = 4;
/// Of the sum of a vertex's weights, and of a normal's squared length.
constexpr double weight_tolerance = 2e-7, normal_tolerance = 1e-4;

/// What a vertex attribute may be.
struct AttributeKind {
  const char* type;
  bool floats, bytes, shorts;
};

const std::map<std::string, AttributeKind, std::less<>> attribute_kinds = {{"POSITION", {"VEC3", true, false, false}},
                                                                           {"NORMAL", {"VEC3", true, false, false}},
                                                                           {"TEXCOORD", {"VEC2", true, false, false}},
                                                                           {"JOINTS", {"VEC4", false, true, true}},
                                                                           {"WEIGHTS", {"VEC4", true, false, false}}};

struct CheckedPrimitive {
  std::string place;
  std::map<std::string, const Table*> attributes;
  std::uint64_t vertices = 0;
  std::size_t sets = 0;  ///< of joints and weights
};

void check_attribute(const Tables& tables, const std::string& name, const Table& table, const std::string& place) {
  const auto kind = attribute_kinds.find(std::string_view(name).substr(0, name.find('_')));
  tables.require(kind != attribute_kinds.end(), place, "is an attribute that no writer has");
  const AttributeKind& allowed = kind->second;
  const bool component = (table.is_float() && allowed.floats) || (table.component == 5121 && allowed.bytes) ||
                         (table.component == 5123 && allowed.shorts);
  tables.require(component && !table.normalized && table.type == allowed.type, place, "is of another type");
  tables.require(table.bytes() % 4 == 0, place, "has elements that are not aligned");
  tables.require(tables.target(table.view) == vertex_view, place, "is in a view for something else");
  tables.require(name != "POSITION" || !table.min.empty(), place, "has no limits");
}

CheckedPrimitive read_attributes(const Tables& tables, const MeshJson& json, const std::string& place) {
  CheckedPrimitive out;
  out.place = place;
  tables.require(json.contains("attributes") && json["attributes"].contains("POSITION"), place, "has no positions");
  std::set<std::size_t> views;
  for (const auto& [name, value] : json["attributes"].items()) {
    const Table& table = tables.table(json["attributes"], name.c_str(), place);
    const std::string at = fmt::format("{}.{}", place, name);
    check_attribute(tables, name, table, at);
    // Without a stride, a view is one attribute's.
    tables.require(views.insert(table.view).second, at, "shares the view of another attribute");
    out.attributes[name] = &table;
  }
  out.vertices = out.attributes["POSITION"]->count;
  for (const auto& [name, table] : out.attributes) {
    tables.require(table->count == out.vertices, fmt::format("{}.{}", place, name),
                   "has another count than the positions");
  }
  while (out.attributes.contains(fmt::format("JOINTS_{}", out.sets))) ++out.sets;
  std::size_t skinning = 0;
  for (const auto& [name, table] : out.attributes) {
    skinning += name.starts_with("JOINTS") || name.starts_with("WEIGHTS") ? 1 : 0;
  }
  for (std::size_t set = 0; set < out.sets; ++set) {
    tables.require(out.attributes.contains(fmt::format("WEIGHTS_{}", set)), place, "has joints without weights");
  }
  tables.require(skinning == 2 * out.sets, place, "has weights without joints, or a set is left out");
  return out;
}

void check_normals(const Tables& tables, const Table& normals) {
  for_blocks(normals.count, [&](std::uint64_t first, std::uint64_t count) {
    const std::vector<double> n = tables.numbers(normals, first, count);
    for (std::size_t k = 0; k < n.size(); k += 3) {
      const double squares = n[k] * n[k] + n[k + 1] * n[k + 1] + n[k + 2] * n[k + 2];
      tables.require(std::abs(squares - 1) <= normal_tolerance, normals.place, "has a normal of another length than 1");
    }
  });
}

/// Weights of a vertex sum to 1, on joints that are there and differ; where there is no weight, the joint is 0.
void check_weights(const Tables& tables, const CheckedPrimitive& primitive, std::size_t joints) {
  for_blocks(primitive.vertices, [&](std::uint64_t first, std::uint64_t count) {
    std::vector<std::vector<double>> joint_sets, weight_sets;
    for (std::size_t set = 0; set < primitive.sets; ++set) {
      joint_sets.push_back(tables.numbers(*primitive.attributes.at(fmt::format("JOINTS_{}", set)), first, count));
      weight_sets.push_back(tables.numbers(*primitive.attributes.at(fmt::format("WEIGHTS_{}", set)), first, count));
    }
    std::vector<double> followed;
    for (std::uint64_t v = 0; v < count; ++v) {
      const std::string place = fmt::format("{}, vertex {}", primitive.place, first + v);
      double sum = 0;
      followed.clear();
      for (std::size_t k = 0; k < 4 * primitive.sets; ++k) {
        const double joint = joint_sets[k / 4][4 * v + k % 4], weight = weight_sets[k / 4][4 * v + k % 4];
        tables.require(weight >= 0, place, "has a negative weight");
        tables.require(joint < double(joints), place, "follows a joint that is not there");
        tables.require(weight > 0 || joint == 0, place, "names a joint without weight");
        if (weight > 0) followed.push_back(joint);
        sum += weight;
      }
      tables.require(std::abs(sum - 1) <= weight_tolerance, place, "has weights that do not sum to 1");
      std::ranges::sort(followed);
      tables.require(std::ranges::adjacent_find(followed) == followed.end(), place, "follows a joint twice");
    }
  });
}

void check_indices(const Tables& tables, const MeshJson& json, const CheckedPrimitive& primitive) {
  const std::size_t mode = json.value("mode", triangles_kind);
  tables.require(mode == points_kind || mode == triangles_kind, primitive.place, "is neither points nor triangles");
  if (!json.contains("indices")) {
    tables.require(mode == points_kind || primitive.vertices % 3 == 0, primitive.place, "has no whole triangles");
    return;
  }
  const Table& indices = tables.table(json, "indices", primitive.place);
  tables.require(!indices.is_float() && !indices.normalized && indices.type == "SCALAR", indices.place,
                 "is no list of indices");
  tables.require(tables.target(indices.view) == index_view, indices.place, "is in a view for something else");
  tables.require(mode == points_kind || indices.count % 3 == 0, primitive.place, "has no whole triangles");
  // The largest number of the type is kept for other uses (3.7.2.1).
  const double restart = double((std::uint64_t(1) << (8 * indices.component_bytes)) - 1);
  const double end = std::min(restart, double(primitive.vertices));
  for_blocks(indices.count, [&](std::uint64_t first, std::uint64_t count) {
    const std::vector<double> block = tables.numbers(indices, first, count);
    tables.require(std::ranges::all_of(block, [&](double i) { return i < end; }), indices.place,
                   "names a vertex that is not there");
  });
}

/// How many joints a mesh may follow: those of the smallest skin that moves it; none where no skin does.
std::size_t joints_of_mesh(const Tables& tables, std::size_t mesh) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const MeshJson& node : Tables::list(tables.document(), "nodes")) {
    if (!node.contains("skin") || node.value("mesh", mesh + 1) != mesh) continue;
    const MeshJson& skin = tables.document()["skins"][node["skin"].get<std::size_t>()];
    least = std::min(least, skin["joints"].size());
  }
  return least == std::numeric_limits<std::size_t>::max() ? 0 : least;
}

}  // namespace

void check_meshes(const Tables& tables) {
  const MeshJson& meshes = Tables::list(tables.document(), "meshes");
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    const MeshJson& primitives = Tables::list(meshes[m], "primitives");
    const std::size_t joints = joints_of_mesh(tables, m);
    tables.require(!primitives.empty(), fmt::format("meshes[{}]", m), "has no primitives");
    for (std::size_t p = 0; p < primitives.size(); ++p) {
      const std::string place = fmt::format("meshes[{}].primitives[{}]", m, p);
      CheckedPrimitive primitive = read_attributes(tables, primitives[p], place);
      check_indices(tables, primitives[p], primitive);
      if (primitive.attributes.contains("NORMAL")) check_normals(tables, *primitive.attributes["NORMAL"]);
      tables.require((joints > 0) == (primitive.sets > 0), place, "has weights, but no skin, or the other way round");
      if (primitive.sets > 0) check_weights(tables, primitive, joints);
    }
  }
}

}  // namespace marrow::glb
