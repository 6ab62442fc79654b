#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "marrow/math.hpp"

namespace marrow {

/// A hierarchy to fit: bones and their parents.
struct BoneTree {
  struct Bone {
    std::string name;
    std::string parent;         ///< name of another bone; empty at the root
    std::optional<Vec3> joint;  ///< approximate position of the bone's joint in the rest pose, model units
  };
  std::vector<Bone> bones;
};
/// Reads a JSON object {"bones": [{"name": ..., "parent": ..., "joint": [x, y, z]}, ...]}. "parent" is null or missing
/// at the root; "joint" is optional. Throws Error{bad_file} with place and remedy. Whether the bones form a tree is
/// checked where it is used.
BoneTree read_tree(const std::filesystem::path& file);

}  // namespace marrow
