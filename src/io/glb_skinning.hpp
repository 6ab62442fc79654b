#pragma once

#include "io/glb_write_stream.hpp"
#include "marrow/io.hpp"

namespace marrow {

/// The glTF extension for models beyond linear blend skinning; see docs/marrow_skinning.md.
inline constexpr const char* skinning_extension = "MARROW_skinning";
inline constexpr int skinning_version = 3;
inline constexpr const char* multi_weights_layer = "multi_weights";
inline constexpr const char* weights_layer = "weights";

/// Adds the model's arrays to the file; returns the extension's object. `model` must outlive the writing.
GlbFile::Json describe_skinning(GlbFile& glb, const Model& model, const GlbOptions& options);

}  // namespace marrow
