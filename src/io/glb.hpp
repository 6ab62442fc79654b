#pragma once

#include <filesystem>

#include "marrow/io.hpp"

namespace marrow {

/// A glTF file, binary (.glb) or text (.gltf), told apart by content. With skins: a Rig. Otherwise, or when morph
/// targets of a skinned mesh are animated: a Sequence. Up axis and unit of `options` are left to the caller.
Animated read_glb(const std::filesystem::path& file, const ReadOptions& options, const Run& run);

}  // namespace marrow
