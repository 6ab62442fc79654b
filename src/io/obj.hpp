#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "marrow/mesh.hpp"

namespace marrow {

/// The mesh in OBJ text; `name` stands for the text in errors, which are Error{bad_file} at "name:line".
///
/// Texture coordinates and normals are kept where every face has them, and dropped otherwise. Indices may be relative
/// (negative), and may run ahead of the elements they name. Free-form geometry, groups, materials and vertex colours
/// are passed over.
Mesh parse_obj(std::string_view text, const std::string& name);

/// The mesh with other positions (one per vertex), in floats that read back to the same bits. Texture coordinates are
/// written where corners refer to them, and so are normals if asked for. The mesh must be valid.
void write_obj(const Mesh& mesh, std::span<const Vec3> positions, bool normals, const std::filesystem::path& file);

}  // namespace marrow
