#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/input_file.hpp"
#include "marrow/bone_tree.hpp"
#include "marrow/error.hpp"

namespace marrow {
namespace {

using TreeJson = nlohmann::json;

/// A number within the range of float.
bool is_coordinate(const TreeJson& json) {
  return json.is_number() && std::abs(json.get<double>()) <= double(std::numeric_limits<float>::max());
}

BoneTree::Bone parse_bone(const TreeJson& json, const std::string& file, std::size_t number) {
  const auto fail = [&](const char* message) {
    throw Error(ErrorCode::bad_file, fmt::format("{}: bones[{}]", file, number), message);
  };
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string()) fail("give it a \"name\"");
  BoneTree::Bone bone{json["name"].get<std::string>(), {}, {}};
  if (json.contains("parent") && !json["parent"].is_null()) {
    if (!json["parent"].is_string()) fail("\"parent\" must be the name of a bone, or null at the root");
    bone.parent = json["parent"].get<std::string>();
  }
  if (json.contains("joint")) {
    const TreeJson& p = json["joint"];
    const bool three = p.is_array() && p.size() == 3 && std::ranges::all_of(p, is_coordinate);
    if (!three) fail("\"joint\" must be [x, y, z]");
    bone.joint = Vec3{p[0].get<float>(), p[1].get<float>(), p[2].get<float>()};
  }
  return bone;
}

}  // namespace

BoneTree read_tree(const std::filesystem::path& path) {
  const InputFile file(path);
  std::string text(file.size(), '\0');
  file.read(0, text.data(), text.size());
  const TreeJson json = TreeJson::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("bones") || !json["bones"].is_array()) {
    throw Error(ErrorCode::bad_file, file.name(),
                "is not a tree: give {\"bones\": [{\"name\": ..., \"parent\": ..., \"joint\": [x, y, z]}, ...]}");
  }
  BoneTree tree;
  for (const TreeJson& bone : json["bones"]) tree.bones.push_back(parse_bone(bone, file.name(), tree.bones.size()));
  return tree;
}

}  // namespace marrow
