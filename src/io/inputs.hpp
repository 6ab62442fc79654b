#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace marrow {

enum class InputKind { obj, pc2, gltf };

struct Inputs {
  InputKind kind;
  std::vector<std::filesystem::path> files;  ///< at least one, in natural order; exactly one unless they are OBJ
};

/// What the user means by one file, several, a folder or a pattern with * ? [..]. Every file is there and not empty.
/// Throws Error{bad_file}, or Error{bad_request} for an empty list, saying what was looked for and what to do.
Inputs resolve_inputs(const std::vector<std::string>& inputs);

}  // namespace marrow
