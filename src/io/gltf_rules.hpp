#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace marrow::glb {

/// Fills `out` with the bytes of a file's binary chunk from `offset` on.
using ReadBinary = std::function<void(std::uint64_t offset, std::span<std::byte> out)>;

/// Judges a file that is about to get its name: throws Error{bad_file} naming `file`, the place and what glTF 2.0 says,
/// unless the document and its one buffer keep the rules. As files come from our own writers, that is a fault of ours.
/// `complete`: whether the file has as many bytes as its header states.
/// Looked at is all that a writer here may use: views, accessors, meshes, skins, the tree of nodes, animations, and
/// their numbers. What no writer uses (matrices of nodes, materials, sparse accessors, ...) counts as broken.
void check_rules(const nlohmann::ordered_json& document, bool complete, const ReadBinary& binary,
                 const std::string& file);

}  // namespace marrow::glb
