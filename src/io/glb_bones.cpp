#include "io/glb_bones.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "core/check.hpp"
#include "core/unique_names.hpp"
#include "io/glb_fit.hpp"
#include "marrow/deform.hpp"

namespace marrow::glb {
namespace {

std::vector<Affine> read_inverse_bind(const Document& document, const Json& skin, std::size_t joints,
                                      const std::string& place) {
  std::vector<Affine> out(joints);
  const auto accessor = document.reference(skin, "inverseBindMatrices", "accessors", place);
  if (!accessor) return out;
  const std::vector<float> values = document.floats(*accessor, 16);
  if (values.size() < 16 * joints) {
    document.fail(place, fmt::format("{} inverse bind matrices for {} joints", values.size() / 16, joints));
  }
  for (std::size_t j = 0; j < joints; ++j) {
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t column = 0; column < 4; ++column) out[j](row, column) = values[16 * j + 4 * column + row];
    }
    if (!is_finite(out[j])) document.fail(place, fmt::format("inverse bind matrix {} is not finite", j));
  }
  return out;
}

/// Collects the bones of all instances, in the order of their skins' joints.
class Collector {
 public:
  Collector(const Document& document, const Geometry& geometry) : document_(document), geometry_(geometry) {}

  void collect() {
    for (const Instance& instance : geometry_.instances) {
      if (instance.skin) {
        add_skin(*instance.skin);
        const auto& of_skin = skin_bones_.at(*instance.skin);
        document_.charge(of_skin.size(), sizeof(std::uint32_t), "skins");
        instance_bones.push_back(of_skin);
      } else {
        bones.push_back({instance.node, Affine{}, new_group()});
        instance_bones.push_back({std::uint32_t(bones.size() - 1)});
      }
    }
    number_groups();
  }

  std::vector<Bone> bones;
  std::vector<std::vector<std::uint32_t>> instance_bones;  // per instance, the bone of each joint
  std::vector<std::size_t> instance_groups;
  std::size_t groups = 0;

 private:
  std::size_t new_group() {
    merged_into_.push_back(merged_into_.size());
    return merged_into_.size() - 1;
  }

  std::size_t find(std::size_t group) {
    while (merged_into_[group] != group) group = merged_into_[group] = merged_into_[merged_into_[group]];
    return group;
  }

  void add_skin(std::size_t skin) {
    auto& of_skin = skin_bones_[skin];
    if (!of_skin.empty()) return;
    const std::string place = fmt::format("skins[{}]", skin);
    const Json& json = document_.item("skins", skin);
    const std::vector<std::size_t> joints = document_.references(json, "joints", "nodes", place);
    const std::vector<Affine> inverse_bind = read_inverse_bind(document_, json, joints.size(), place);
    const std::size_t group = new_group();
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const auto [known, is_new] = known_.try_emplace({joints[j], inverse_bind[j].m}, bones.size());
      if (is_new) bones.push_back({joints[j], inverse_bind[j], group});
      merged_into_[find(group)] = find(bones[known->second].group);
      of_skin.push_back(std::uint32_t(known->second));
    }
  }

  void number_groups() {
    std::map<std::size_t, std::size_t> numbers;
    for (Bone& bone : bones) bone.group = numbers.try_emplace(find(bone.group), numbers.size()).first->second;
    for (const auto& of_instance : instance_bones) instance_groups.push_back(bones[of_instance[0]].group);
    groups = numbers.size();
  }

  const Document& document_;
  const Geometry& geometry_;
  std::map<std::pair<std::size_t, std::array<double, 12>>, std::size_t> known_;
  std::map<std::size_t, std::vector<std::uint32_t>> skin_bones_;
  std::vector<std::size_t> merged_into_;  // groups: union-find forest
};

/// Parent of each bone: a bone on the nearest ancestor node that has bones, of the same group if possible; -1 if none.
std::vector<std::int32_t> find_parents(const Scene& scene, const std::vector<Bone>& bones) {
  std::vector<std::vector<std::size_t>> at_node(scene.nodes.size());
  for (std::size_t b = 0; b < bones.size(); ++b) at_node[bones[b].node].push_back(b);
  std::vector<std::optional<std::size_t>> nearest(scene.nodes.size());  // the node itself or one above it
  for (const std::size_t n : scene.order) {
    if (!at_node[n].empty()) {
      nearest[n] = n;
    } else if (scene.nodes[n].parent) {
      nearest[n] = nearest[*scene.nodes[n].parent];
    }
  }
  std::vector<std::int32_t> parents;
  for (const Bone& bone : bones) {
    const std::optional<std::size_t> above = scene.nodes[bone.node].parent;
    if (!above || !nearest[*above]) {
      parents.push_back(-1);
      continue;
    }
    const std::vector<std::size_t>& choice = at_node[*nearest[*above]];
    const auto same = std::ranges::find_if(choice, [&](std::size_t b) { return bones[b].group == bone.group; });
    parents.push_back(std::int32_t(same != choice.end() ? *same : choice.front()));
  }
  return parents;
}

/// An order with parents first that otherwise keeps the given order.
std::vector<std::size_t> parents_first(const std::vector<std::int32_t>& parents) {
  std::vector<std::size_t> order, chain;
  std::vector<bool> placed(parents.size(), false);
  for (std::size_t b = 0; b < parents.size(); ++b) {
    for (auto l = std::int32_t(b); l >= 0 && !placed[std::size_t(l)]; l = parents[std::size_t(l)]) {
      chain.push_back(std::size_t(l));
    }
    for (; !chain.empty(); chain.pop_back()) {
      placed[chain.back()] = true;
      order.push_back(chain.back());
    }
  }
  return order;
}

/// Sorts the bones into their final order; returns the new index of each.
std::vector<std::uint32_t> order_bones(const Scene& scene, std::vector<Bone> found, Bones& out) {
  const std::vector<std::int32_t> parents = find_parents(scene, found);
  const std::vector<std::size_t> order = parents_first(parents);
  std::vector<std::uint32_t> number(found.size());
  UniqueNames unique;
  for (const std::size_t b : order) {
    number[b] = std::uint32_t(out.bones.size());
    const std::string& name = scene.nodes[found[b].node].name;
    out.bones.push_back(found[b]);
    out.skeleton.names.push_back(unique(name.empty() ? fmt::format("node_{}", found[b].node) : name));
    out.skeleton.parents.push_back(parents[b] < 0 ? -1 : std::int32_t(number[std::size_t(parents[b])]));
  }
  return number;
}

/// Adds one row: sums weights of the same bone and normalises to sum 1.
void add_row(std::vector<std::pair<std::uint32_t, double>>& row, Weights& weights) {
  std::ranges::sort(row);
  double sum = 0;
  for (const auto& [bone, w] : row) sum += w;
  for (std::size_t e = 0; e < row.size();) {
    const std::uint32_t bone = row[e].first;
    double total = 0;
    for (; e < row.size() && row[e].first == bone; ++e) total += row[e].second;
    const auto value = float(total / sum);
    if (value == 0) continue;
    weights.bones.push_back(bone);
    weights.values.push_back(value);
  }
  weights.offsets.push_back(std::uint32_t(weights.bones.size()));
}

Weights make_weights(const Document& document, const Geometry& geometry,
                     const std::vector<std::vector<std::uint32_t>>& instance_bones,
                     const std::vector<std::uint32_t>& number, const Run& run) {
  const std::size_t vertices = geometry.mesh.vertices();
  document.charge(vertices + geometry.influences.size(), 2 * sizeof(std::uint32_t), "weights");
  Weights out;
  out.offsets.push_back(0);
  std::size_t without = 0;
  std::vector<std::pair<std::uint32_t, double>> row;
  for (std::size_t n = 0; n < geometry.instances.size(); ++n) {
    const Instance& instance = geometry.instances[n];
    for (std::size_t i = instance.vertices.first; i < instance.vertices.end(); ++i) {
      row.clear();
      for (std::uint32_t e = geometry.influence_offsets[i]; e < geometry.influence_offsets[i + 1]; ++e) {
        const Influence& influence = geometry.influences[e];
        row.emplace_back(number[instance_bones[n][influence.joint]], double(influence.weight));
      }
      if (row.empty()) {
        row.emplace_back(number[instance_bones[n][0]], 1.0);
        if (instance.skin) ++without;
      }
      add_row(row, out);
    }
  }
  if (without != 0) {
    run.warn(fmt::format("{} vertices have no weights and follow the first joint of their skin", without));
  }
  return out;
}

/// Rest transform of each group. Joints often carry a common change of unit and axes (scale 0.01 and z-up to y-up, say)
/// on top of the stored vertices. With it applied to the rest pose, rest pose and frames agree in size and orientation.
std::vector<Affine> rest_transforms(const Geometry& geometry, const Bones& bones, std::size_t groups,
                                    std::span<const Affine> world) {
  Rig stored{geometry.mesh, bones.skeleton, bones.weights, {}};
  std::vector<Affine> pose;
  for (const Bone& bone : bones.bones) pose.push_back(world[bone.node] * bone.inverse_bind);
  std::vector<Vec3> posed(stored.vertices());
  deform(stored, pose, posed);

  std::vector<Affine> out(groups);
  std::vector<std::vector<Vec3>> from(groups), to(groups);
  for (std::size_t n = 0; n < geometry.instances.size(); ++n) {
    const Instance& instance = geometry.instances[n];
    const std::size_t group = bones.instance_groups[n];
    if (!instance.skin) {
      // A mesh without a skin rests where its node puts it, unless that is singular.
      if (is_invertible(world[instance.node])) out[group] = world[instance.node];
      continue;
    }
    const auto part = [&](const std::vector<Vec3>& all) {
      return std::span(all).subspan(instance.vertices.first, instance.vertices.count);
    };
    const auto stored_part = part(stored.mesh.positions), posed_part = part(posed);
    from[group].insert(from[group].end(), stored_part.begin(), stored_part.end());
    to[group].insert(to[group].end(), posed_part.begin(), posed_part.end());
  }
  for (std::size_t g = 0; g < groups; ++g) {
    if (!from[g].empty()) out[g] = fit_similarity(from[g], to[g]);
  }
  return out;
}

}  // namespace

Bones read_bones(const Document& document, const Scene& scene, const Geometry& geometry, std::span<const Affine> world,
                 const Run& run) {
  Collector found(document, geometry);
  found.collect();
  Bones out;
  const std::vector<std::uint32_t> number = order_bones(scene, std::move(found.bones), out);
  out.weights = make_weights(document, geometry, found.instance_bones, number, run);
  out.instance_groups = std::move(found.instance_groups);
  out.group_rest = rest_transforms(geometry, out, found.groups, world);
  for (const Bone& bone : out.bones) {
    const Affine& rest = out.group_rest[bone.group];
    // `bind` only places the bone. If the inverse bind matrix is singular, the bone stands at the mesh's origin.
    out.skeleton.bind.push_back(is_invertible(bone.inverse_bind) ? rest * inverse(bone.inverse_bind) : rest);
  }
  return out;
}

}  // namespace marrow::glb
