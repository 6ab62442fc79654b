#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "marrow/mesh.hpp"

namespace marrow {

/// Parses a mesh from OBJ text. Errors are Error{bad_file} at "name:line".
///
/// Texture coordinates and normals are kept if every face has them, else dropped. Indices may be relative (negative)
/// and may refer to elements further on. Free-form geometry, groups, materials and vertex colours are ignored.
Mesh parse_obj(std::string_view text, const std::string& name);

/// Writes the mesh with other positions (one per vertex). Floats read back to the same bits. Texture coordinates are
/// written if corners refer to them; normals too, if asked for. The mesh must be valid.
void write_obj(const Mesh& mesh, std::span<const Vec3> positions, bool normals, const std::filesystem::path& file);

}  // namespace marrow
