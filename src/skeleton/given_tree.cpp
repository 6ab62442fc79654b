// A hierarchy given by the user, to be fitted.
#include "skeleton/given_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "core/eigen_affine.hpp"
#include "core/segment.hpp"
#include "lbs/points.hpp"
#include "marrow/error.hpp"

namespace marrow::skeleton {
namespace {

using Eigen::Vector3d;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::bad_request, "tree", message);
}

std::unordered_map<std::string, std::size_t> number_by_name(const BoneTree& tree) {
  std::unordered_map<std::string, std::size_t> number;
  for (std::size_t j = 0; j < tree.bones.size(); ++j) {
    const std::string& name = tree.bones[j].name;
    if (name.empty()) refuse(fmt::format("bone {} has no name; give it one", j));
    if (!number.emplace(name, j).second) refuse(fmt::format("there are two bones \"{}\"; names must differ", name));
  }
  return number;
}

}  // namespace

std::vector<std::size_t> parents_of(const BoneTree& tree) {
  const auto number = number_by_name(tree);
  std::vector<std::size_t> parents;
  for (const BoneTree::Bone& bone : tree.bones) {
    if (bone.parent.empty()) {
      parents.push_back(none);
      continue;
    }
    const auto parent = number.find(bone.parent);
    if (parent == number.end()) {
      refuse(fmt::format(
          "bone \"{}\" has the parent \"{}\", which is not in the tree; add it, or omit the parent of a root",
          bone.name, bone.parent));
    }
    parents.push_back(parent->second);
  }
  return parents;
}

void check(const BoneTree& tree, bool with_joints) {
  if (tree.bones.empty()) refuse("has no bones; give at least one");
  const std::vector<std::size_t> parents = parents_of(tree);
  for (std::size_t j = 0; j < parents.size(); ++j) {
    std::size_t steps = 0;
    for (std::size_t l = j; l != none; l = parents[l]) {
      if (++steps > parents.size()) {
        refuse(fmt::format("bone \"{}\" is its own ancestor; make one bone of this cycle a root", tree.bones[j].name));
      }
    }
    if (with_joints && !tree.bones[j].joint) {
      refuse(
          fmt::format("bone \"{}\" has no joint; without a rig every bone needs \"joint\": [x, y, z], its position in "
                      "the rest pose",
                      tree.bones[j].name));
    }
  }
  if (std::ranges::count(parents, none) > 1) refuse("has several roots; give all but one a parent");
}

std::vector<std::size_t> parents_in(const BoneTree& tree, const Skeleton& skeleton) {
  const auto number = number_by_name(tree);
  const std::vector<std::size_t> parents = parents_of(tree);
  std::unordered_map<std::string, std::size_t> bone;
  for (std::size_t j = 0; j < skeleton.bones(); ++j) bone.emplace(skeleton.names[j], j);
  for (const auto& [name, place] : number) {
    if (!bone.contains(name))
      refuse(fmt::format("the rig has no bone \"{}\"; the tree must have the rig's names", name));
  }
  std::vector<std::size_t> out;
  for (const std::string& name : skeleton.names) {
    const auto found = number.find(name);
    if (found == number.end()) refuse(fmt::format("bone \"{}\" of the rig is not in the tree; add it", name));
    const std::size_t parent = parents[found->second];
    out.push_back(parent == none ? none : bone.at(tree.bones[parent].name));
  }
  return out;
}

std::vector<std::string> names_of(const BoneTree& tree) {
  std::vector<std::string> names;
  for (const BoneTree::Bone& bone : tree.bones) names.push_back(bone.name);
  return names;
}

std::vector<std::uint32_t> nearest_bones(const decomposition::SearchGround& ground, const BoneTree& tree) {
  const std::vector<std::size_t> parents = parents_of(tree);
  const auto place = [&](std::size_t j) {
    return Vector3d((to_eigen(*tree.bones[j].joint) - ground.space.rest_centre) / ground.space.radius);
  };
  std::vector<std::uint32_t> labels(ground.sample.count, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Vector3d p = lbs::rest_of(ground.sample.rest, i);
    double least = std::numeric_limits<double>::infinity();
    const auto offer = [&](std::size_t bone, const Vector3d& from, const Vector3d& to) {
      const double distance = Segment{from, to}.squared_distance(p);
      if (distance >= least) return;
      least = distance;
      labels[i] = std::uint32_t(bone);
    };
    for (std::size_t j = 0; j < parents.size(); ++j) {
      if (parents[j] != none) offer(parents[j], place(parents[j]), place(j));
      const bool last = std::ranges::count(parents, j) == 0;
      // The end of a leaf bone is unknown: extend it in its parent's direction by half the parent's length.
      if (last && parents[j] != none) offer(j, place(j), place(j) + 0.5 * (place(j) - place(parents[j])));
      if (last && parents[j] == none) offer(j, place(j), place(j));
    }
  }
  return labels;
}

}  // namespace marrow::skeleton
