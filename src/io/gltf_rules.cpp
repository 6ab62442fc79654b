// glTF 2.0, sections 3.5 (scenes and nodes), 3.7.3 (skins) and 3.11 (animations), and what holds for all of the JSON.
#include "io/gltf_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "io/gltf_tables.hpp"

namespace marrow::glb {
namespace {

using RulesJson = Tables::OrderedJson;

/// How far a unit vector's squared length may be from 1.
constexpr double unit_tolerance = 1e-4;

/// No list of a glTF file is empty; what programs keep under "extras" is theirs.
void check_lists(const Tables& tables, const RulesJson& value, const std::string& place) {
  tables.require(!value.is_array() || !value.empty(), place, "is an empty list");
  if (!value.is_structured()) return;
  for (const auto& [key, entry] : value.items()) {
    if (key != "extras") check_lists(tables, entry, fmt::format("{}/{}", place, key));
  }
}

void check_top(const Tables& tables) {
  const RulesJson& document = tables.document();
  tables.require(document.contains("asset") && document["asset"].value("version", "") == "2.0", "asset",
                 "is not of version 2.0");
  std::set<std::string> used, there;
  for (const RulesJson& name : Tables::list(document, "extensionsUsed")) used.insert(name.get<std::string>());
  if (document.contains("extensions")) {
    for (const auto& [name, value] : document["extensions"].items()) there.insert(name);
  }
  tables.require(used == there, "extensionsUsed", "does not list what is used");
  check_lists(tables, document, "");
}

/// A transform that is not made of parts of the right length, with a rotation that is one.
void check_placement(const Tables& tables, const RulesJson& node, const std::string& place) {
  tables.require(!node.contains("matrix"), place, "has a matrix");
  for (const auto& [key, size] : {std::pair{"translation", 3}, {"rotation", 4}, {"scale", 3}}) {
    if (!node.contains(key)) continue;
    double squares = 0;
    for (const RulesJson& value : node[key]) {
      tables.require(value.is_number() && std::isfinite(value.get<double>()), place, "has a number that is none");
      squares += value.get<double>() * value.get<double>();
    }
    tables.require(node[key].size() == std::size_t(size), place, "has a vector of another width");
    tables.require(size == 3 || std::abs(squares - 1) <= unit_tolerance, place,
                   "has a rotation of another length than 1");
  }
}

/// The root above each node.
std::vector<std::size_t> roots_of(const Tables& tables, const RulesJson& nodes) {
  constexpr std::size_t none = std::size_t(-1);
  std::vector<std::size_t> parent(nodes.size(), none);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const std::string place = fmt::format("nodes[{}]", n);
    const RulesJson& children = Tables::list(nodes[n], "children");
    for (const RulesJson& entry : children) {
      const auto child = entry.get<std::int64_t>();
      tables.require(child >= 0 && std::size_t(child) < nodes.size(), place, "has a child that is not there");
      tables.require(parent[std::size_t(child)] == none, place, "has a child with two parents");
      parent[std::size_t(child)] = n;
    }
  }
  std::vector<std::size_t> root(nodes.size(), none);
  std::vector<std::size_t> chain;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    std::size_t top = n;
    for (; root[top] == none && parent[top] != none; top = parent[top]) {
      chain.push_back(top);
      tables.require(chain.size() <= nodes.size(), fmt::format("nodes[{}]", n), "is its own ancestor");
    }
    const std::size_t found = root[top] == none ? top : root[top];
    root[top] = found;
    for (; !chain.empty(); chain.pop_back()) root[chain.back()] = found;
  }
  return root;
}

/// A list of different indices of nodes.
std::vector<std::size_t> node_list(const Tables& tables, const RulesJson& list, std::size_t nodes,
                                   const std::string& place) {
  std::vector<std::size_t> out;
  for (const RulesJson& value : list) {
    const auto node = value.get<std::int64_t>();
    tables.require(node >= 0 && std::size_t(node) < nodes, place, "names a node that is not there");
    out.push_back(std::size_t(node));
  }
  tables.require(std::set(out.begin(), out.end()).size() == out.size(), place, "names a node twice");
  return out;
}

void check_skin(const Tables& tables, const RulesJson& skin, const std::vector<std::size_t>& root,
                const std::string& place) {
  const std::vector<std::size_t> joints = node_list(tables, Tables::list(skin, "joints"), root.size(), place);
  tables.require(!joints.empty(), place, "has no joints");
  tables.require(std::ranges::all_of(joints, [&](std::size_t j) { return root[j] == root[joints[0]]; }), place,
                 "has joints without a common root");
  const std::size_t skeleton = tables.index(skin, "skeleton", root.size(), place);
  tables.require(skeleton == root[joints[0]], place, "has a skeleton that is not the root of its joints");
  const Table& binds = tables.table(skin, "inverseBindMatrices", place);
  tables.require(binds.is_float() && binds.type == "MAT4" && binds.count >= joints.size(), place,
                 "has no matrix for each of its joints");
  for_blocks(binds.count, [&](std::uint64_t first, std::uint64_t count) {
    const std::vector<double> values = tables.numbers(binds, first, count);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (k % 4 != 3) continue;
      tables.require(values[k] == (k % 16 == 15 ? 1 : 0), binds.place, "has a matrix that is not affine");
    }
  });
}

/// Times of keys: from 0 on, each after the one before.
void check_times(const Tables& tables, const Table& times) {
  tables.require(times.is_float() && times.type == "SCALAR" && !times.min.empty(), times.place,
                 "is no list of times with limits");
  double before = -1;
  for_blocks(times.count, [&](std::uint64_t first, std::uint64_t count) {
    for (const double time : tables.numbers(times, first, count)) {
      tables.require(time >= 0 && time > before, times.place, "has times that do not grow");
      before = time;
    }
  });
}

void check_unit_keys(const Tables& tables, const Table& keys) {
  for_blocks(keys.count, [&](std::uint64_t first, std::uint64_t count) {
    const std::vector<double> q = tables.numbers(keys, first, count);
    for (std::size_t k = 0; k < q.size(); k += 4) {
      const double squares = q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2] + q[k + 3] * q[k + 3];
      tables.require(std::abs(squares - 1) <= unit_tolerance, keys.place, "has a rotation of another length than 1");
    }
  });
}

void check_channel(const Tables& tables, const RulesJson& channel, const RulesJson& samplers,
                   const std::string& place) {
  const RulesJson& sampler = samplers[tables.index(channel, "sampler", samplers.size(), place)];
  const RulesJson& target = channel["target"];
  tables.index(target, "node", Tables::list(tables.document(), "nodes").size(), place);
  const std::string path = target.value("path", "");
  tables.require(path == "translation" || path == "rotation" || path == "scale", place, "moves something unknown");
  tables.require(!sampler.contains("interpolation"), place, "has another interpolation than linear");
  const Table& input = tables.table(sampler, "input", place);
  const Table& output = tables.table(sampler, "output", place);
  tables.require(output.is_float() && output.type == (path == "rotation" ? "VEC4" : "VEC3"), place,
                 "has keys of another type");
  tables.require(output.count == input.count, place, "has not as many keys as times");
  if (path == "rotation") check_unit_keys(tables, output);
}

}  // namespace

void check_nodes(const Tables& tables) {
  const RulesJson& document = tables.document();
  const RulesJson& nodes = Tables::list(document, "nodes");
  const RulesJson& meshes = Tables::list(document, "meshes");
  const RulesJson& skins = Tables::list(document, "skins");
  const std::vector<std::size_t> root = roots_of(tables, nodes);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const std::string place = fmt::format("nodes[{}]", n);
    check_placement(tables, nodes[n], place);
    if (nodes[n].contains("mesh")) tables.index(nodes[n], "mesh", meshes.size(), place);
    if (!nodes[n].contains("skin")) continue;
    tables.index(nodes[n], "skin", skins.size(), place);
    tables.require(nodes[n].contains("mesh"), place, "has a skin, but no mesh");
  }
  for (std::size_t s = 0; s < skins.size(); ++s) check_skin(tables, skins[s], root, fmt::format("skins[{}]", s));
  const RulesJson& scenes = Tables::list(document, "scenes");
  tables.index(document, "scene", scenes.size(), "scene");
  for (std::size_t s = 0; s < scenes.size(); ++s) {
    const std::string place = fmt::format("scenes[{}]", s);
    for (const std::size_t n : node_list(tables, Tables::list(scenes[s], "nodes"), nodes.size(), place)) {
      tables.require(root[n] == n, place, "shows a node that is no root");
    }
  }
}

void check_animations(const Tables& tables) {
  const RulesJson& animations = Tables::list(tables.document(), "animations");
  std::set<std::size_t> checked_times;
  for (std::size_t a = 0; a < animations.size(); ++a) {
    const RulesJson& samplers = Tables::list(animations[a], "samplers");
    const RulesJson& channels = Tables::list(animations[a], "channels");
    const std::string animation = fmt::format("animations[{}]", a);
    tables.require(!samplers.empty() && !channels.empty(), animation, "has no channels");
    std::set<std::pair<std::int64_t, std::string>> targets;
    for (std::size_t c = 0; c < channels.size(); ++c) {
      const std::string place = fmt::format("{}.channels[{}]", animation, c);
      check_channel(tables, channels[c], samplers, place);
      const RulesJson& target = channels[c]["target"];
      tables.require(targets.emplace(target["node"].get<std::int64_t>(), target["path"].get<std::string>()).second,
                     place, "moves what another channel moves");
    }
    for (const RulesJson& sampler : samplers) {
      const std::size_t input = tables.index(sampler, "input", tables.all().size(), animation);
      if (checked_times.insert(input).second) check_times(tables, tables.all()[input]);
    }
  }
}

void check_rules(const nlohmann::ordered_json& document, bool complete, const ReadBinary& binary,
                 const std::string& file) {
  const Tables tables(document, binary, file);
  tables.require(complete, "header", "states another length than the file has");
  check_top(tables);
  check_nodes(tables);
  check_meshes(tables);
  check_animations(tables);
  check_numbers(tables);
}

}  // namespace marrow::glb
