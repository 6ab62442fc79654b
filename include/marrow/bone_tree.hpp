#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "marrow/math.hpp"

namespace marrow {

/// A hierarchy to fit: which bones there are and which hangs under which.
struct BoneTree {
  struct Bone {
    std::string name;
    std::string parent;         ///< another bone's name; empty at the root
    std::optional<Vec3> joint;  ///< about where the bone begins in the rest pose
  };
  std::vector<Bone> bones;
};
/// A JSON object {"bones": [{"name": ..., "parent": ..., "joint": [x, y, z]}, ...]}; parent is null or left out at the
/// root, joint may be left out. Throws Error{bad_file} naming the place for anything else. Whether the bones make a
/// tree is checked when it is used.
BoneTree read_tree(const std::filesystem::path& file);

}  // namespace marrow
