#pragma once

#include "io/glb_source.hpp"
#include "marrow/io.hpp"

namespace marrow {

/// Reads a glTF file, binary (.glb) or text (.gltf), recognised by content. The result is a Rig if the file has skins
/// and no animated morph targets on a skinned mesh, else a Sequence. The caller applies up axis and unit of `options`.
Animated read_glb(const GlbSource& source, const ReadOptions& options, const Run& run);

}  // namespace marrow
