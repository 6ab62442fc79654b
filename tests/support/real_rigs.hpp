#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "marrow/decompose.hpp"
#include "marrow/io.hpp"

namespace marrow::testing {

inline Sequence real_sequence(const std::filesystem::path& shared, const std::string& name) {
  return read_sequence({(shared / "data/sequences" / (name + ".pc2")).string()});
}

/// A model by its name, or SEQUENCE:BONES, decomposed with any number of influences per vertex. Made once.
inline const Rig& real_rig(const std::filesystem::path& shared, const std::string& name) {
  static std::map<std::string, Rig> made;
  const auto known = made.find(name);
  if (known != made.end()) return known->second;
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) return made[name] = read_rig(shared / "data/models" / (name + ".glb"));
  const std::size_t bones = std::stoul(name.substr(colon + 1));
  const DecomposeOptions options{.bones = bones, .influences = bones, .effort = Effort::fast};
  return made[name] = decompose(real_sequence(shared, name.substr(0, colon)), options).value;
}

}  // namespace marrow::testing
