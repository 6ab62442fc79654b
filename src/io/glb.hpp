#pragma once

#include <filesystem>

#include "marrow/io.hpp"

namespace marrow {

/// One GLB or glTF as it stands in the file; read() applies options.up and options.unit.
Animated read_glb(const std::filesystem::path& file, const ReadOptions& options, const Run& run);

}  // namespace marrow
