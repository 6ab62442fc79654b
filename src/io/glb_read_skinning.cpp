#include <fmt/format.h>

#include <algorithm>

#include "io/glb_document.hpp"
#include "io/glb_geometry.hpp"
#include "io/glb_skinning.hpp"
#include "marrow/error.hpp"
#include "marrow/io.hpp"

namespace marrow {
namespace {

using glb::Document;
using Json = glb::Json;
constexpr const char* extension_place = "extensions.MARROW_skinning";

/// The one layer that this version knows. Fails with what is there instead.
const Json& only_layer(const Document& document, const Json& extension) {
  const std::size_t version = document.integer(extension, "version", extension_place).value_or(0);
  if (version != skinning_version) {
    document.fail(extension_place, fmt::format("is of version {}, but this program knows only {}; use a newer marrow",
                                               version, skinning_version));
  }
  // Bones, positions and rows are those of read_rig() only where the file is as write_glb() wrote it.
  const bool whole = document.is_own() && document.integer(extension, "mesh", extension_place).value_or(0) == 0 &&
                     document.integer(extension, "skin", extension_place).value_or(0) == 0;
  if (!whole)
    document.fail(extension_place,
                  "belongs to a file that was changed since marrow wrote it; make it anew with marrow ddm");
  const Json& layers = document.list(extension, "layers", extension_place);
  const bool known =
      layers.size() == 1 && layers[0].is_object() && Document::text(layers[0], "kind") == multi_weights_layer;
  if (!known) document.fail(extension_place, "its layers are not one of multi_weights, all that this program knows");
  return layers[0];
}

/// Rows, numbers and lengths fit each other; what they say is for validate().
void read_layer(const Document& document, const Json& layer, DdmRig& ddm) {
  const auto accessor = [&](const char* key) {
    return document.required_reference(layer, key, "accessors", extension_place);
  };
  ddm.multi_weights.offsets = document.integers(accessor("offsets"), 1);
  ddm.multi_weights.bones = document.integers(accessor("bones"), 1);
  const std::vector<float> values = document.floats(accessor("values"), 1);
  const std::vector<float> centres = document.floats(accessor("centres"), 3);
  const std::size_t entries = ddm.multi_weights.bones.size(), rows = ddm.multi_weights.offsets.size();
  const std::optional<std::size_t> stated = document.integer(layer, "rows", extension_place);
  if (values.size() != 10 * entries || centres.size() + 3 != 3 * rows || !stated || *stated + 1 != rows) {
    throw Error(ErrorCode::bad_input, extension_place,
                fmt::format("{} offsets, {} bones, {} values, {} numbers of centres and {} rows do not fit each other",
                            rows, entries, values.size(), centres.size(), stated.value_or(0)));
  }
  document.charge(entries, sizeof(MultiWeights::Value), extension_place);
  ddm.multi_weights.values.resize(entries);
  for (std::size_t k = 0; k < values.size(); ++k) ddm.multi_weights.values[k / 10][k % 10] = values[k];
  ddm.centres.reserve(rows);
  for (std::size_t i = 0; i + 1 < rows; ++i) {
    ddm.centres.push_back({centres[3 * i], centres[3 * i + 1], centres[3 * i + 2]});
  }
}

}  // namespace

DdmRig read_ddm(const std::filesystem::path& file, const Run& run) {
  DdmRig ddm;
  ddm.rig = read_rig(file, {}, run);
  const Document document(file);
  const Json* extension = document.extension(skinning_extension);
  if (extension == nullptr) {
    document.fail(extension_place, "is missing: the file has no model beside its skin; make one with marrow ddm");
  }
  try {
    read_layer(document, only_layer(document, *extension), ddm);
    validate(ddm);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    throw Error(error.code(), file.string(), fmt::format("{}; make the file anew with marrow ddm", error.what()));
  }
  return ddm;
}

bool has_ddm(const std::filesystem::path& file) {
  try {
    const Document document(file);
    const Json* extension = document.extension(skinning_extension);
    if (extension == nullptr) return false;
    only_layer(document, *extension);
    return true;
  } catch (const Error&) {
    return false;  // whoever reads it says what is wrong
  }
}

std::vector<std::array<float, 3>> read_vertex_colors(const std::filesystem::path& file) {
  const Document document(file);
  glb::Geometry geometry = read_geometry(document, read_scene(document), true);
  // Parts after the last that has colours are white.
  if (!geometry.colors.empty()) geometry.colors.resize(geometry.mesh.vertices(), {1, 1, 1});
  return std::move(geometry.colors);
}

}  // namespace marrow
