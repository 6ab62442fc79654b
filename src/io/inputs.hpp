#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace marrow {

enum class InputKind { obj, pc2, gltf };

struct Inputs {
  InputKind kind;
  std::vector<std::filesystem::path> files;  ///< at least one, in natural order; exactly one unless OBJ
};

/// Resolves one file, several, a folder or a pattern with * ? [..]. Every file exists and is not empty. Throws
/// Error{bad_file}, or Error{bad_request} for an empty list, with place and remedy.
Inputs resolve_inputs(const std::vector<std::string>& inputs);

}  // namespace marrow
