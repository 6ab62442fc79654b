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

/// What the layers of each kind of model are called.
const std::vector<std::string> ddm_kinds = {multi_weights_layer}, two_layer_kinds = {weights_layer, weights_layer},
                               compressed_kinds = {multi_weights_layer, weights_layer};

/// The layers of a model that this version knows, and what they are called. Fails with what is there instead.
std::vector<std::string> known_layers(const Document& document, const Json& extension) {
  const std::size_t version = document.integer(extension, "version", extension_place).value_or(0);
  if (version != skinning_version) {
    document.fail(extension_place, fmt::format("is of version {}, but this program knows only {}; use a newer marrow",
                                               version, skinning_version));
  }
  // Bones, positions and rows are those of read_rig() only where the file is as write_glb() wrote it.
  const bool whole = document.is_own() && document.integer(extension, "mesh", extension_place).value_or(0) == 0 &&
                     document.integer(extension, "skin", extension_place).value_or(0) == 0;
  if (!whole) {
    document.fail(extension_place,
                  "belongs to a file that was changed since marrow wrote it; make it anew with marrow ddm or compress");
  }
  std::vector<std::string> kinds;
  for (const Json& layer : document.list(extension, "layers", extension_place)) {
    kinds.emplace_back(layer.is_object() ? Document::text(layer, "kind") : "");
  }
  if (kinds != ddm_kinds && kinds != two_layer_kinds && kinds != compressed_kinds) {
    document.fail(extension_place,
                  fmt::format("its layers are \"{}\", which this program does not know; use a newer marrow",
                              fmt::join(kinds, ", ")));
  }
  return kinds;
}

/// The arrays of one layer.
class Layer {
 public:
  Layer(const Document& document, const Json& json) : document_(document), json_(json) {}

  std::vector<std::uint32_t> integers(const char* key) const { return document_.integers(accessor(key), 1); }
  std::vector<float> floats(const char* key, std::size_t width) const { return document_.floats(accessor(key), width); }

  /// Offsets say how many rows there are; `numbers`: what else must be so many, and is.
  void require_fit(std::size_t offsets, std::initializer_list<std::pair<std::size_t, std::size_t>> numbers) const {
    const std::optional<std::size_t> stated = document_.integer(json_, "rows", extension_place);
    bool fits = stated && *stated + 1 == offsets;
    for (const auto& [is, should] : numbers) fits = fits && is == should;
    if (fits) return;
    std::string lengths;
    for (const auto& [is, should] : numbers) lengths += fmt::format(", {} numbers where {} belong", is, should);
    throw Error(ErrorCode::bad_input, extension_place,
                fmt::format("{} offsets and {} rows{} do not fit each other", offsets, stated.value_or(0), lengths));
  }

 private:
  std::size_t accessor(const char* key) const {
    return document_.required_reference(json_, key, "accessors", extension_place);
  }

  const Document& document_;
  const Json& json_;
};

/// Rows, numbers and lengths fit each other; what they say is for validate().
void read_multi_weights(const Document& document, const Json& json, MultiWeights& weights, std::vector<Vec3>& places) {
  const Layer layer(document, json);
  weights.offsets = layer.integers("offsets");
  weights.bones = layer.integers("bones");
  const std::vector<float> values = layer.floats("values", 1), centres = layer.floats("centres", 3);
  const std::size_t entries = weights.bones.size(), offsets = weights.offsets.size();
  layer.require_fit(offsets, {{values.size(), 10 * entries}, {centres.size() + 3, 3 * offsets}});
  document.charge(entries, sizeof(MultiWeights::Value), extension_place);
  weights.values.resize(entries);
  for (std::size_t k = 0; k < values.size(); ++k) weights.values[k / 10][k % 10] = values[k];
  places.reserve(offsets);
  for (std::size_t i = 0; i + 1 < offsets; ++i) {
    places.push_back({centres[3 * i], centres[3 * i + 1], centres[3 * i + 2]});
  }
}

void read_blends(const Document& document, const Json& json, Blends& blends) {
  const Layer layer(document, json);
  blends.offsets = layer.integers("offsets");
  blends.sources = layer.integers("bones");
  blends.values = layer.floats("values", 1);
  layer.require_fit(blends.offsets.size(), {{blends.values.size(), blends.sources.size()}});
}

Model read_layers(const Document& document, const Json& extension, Rig rig) {
  const std::vector<std::string> kinds = known_layers(document, extension);
  const Json& layers = document.list(extension, "layers", extension_place);
  if (kinds == two_layer_kinds) {
    TwoLayerRig result{std::move(rig), {}, {}};
    read_blends(document, layers[0], result.virtual_bones);
    read_blends(document, layers[1], result.vertices);
    return result;
  }
  if (kinds == compressed_kinds) {
    CompressedDdm result{std::move(rig), {}, {}, {}};
    read_multi_weights(document, layers[0], result.virtual_bones, result.centres);
    Blends blends;
    read_blends(document, layers[1], blends);
    result.weights = {std::move(blends.offsets), std::move(blends.sources), std::move(blends.values)};
    return result;
  }
  DdmRig result{std::move(rig), {}, {}};
  read_multi_weights(document, layers[0], result.multi_weights, result.centres);
  return result;
}

}  // namespace

Model read_model(const std::filesystem::path& file, const Run& run) {
  Rig rig = read_rig(file, {}, run);
  const Document document(file);
  const Json* extension = document.extension(skinning_extension);
  if (extension == nullptr) {
    document.fail(extension_place,
                  "is missing: the file has no model beside its skin; make one with marrow ddm or compress");
  }
  try {
    Model model = read_layers(document, *extension, std::move(rig));
    validate(model);
    return model;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    throw Error(error.code(), file.string(),
                fmt::format("{}; make the file anew with marrow ddm or compress", error.what()));
  }
}

bool has_model(const std::filesystem::path& file) {
  try {
    const Document document(file);
    const Json* extension = document.extension(skinning_extension);
    if (extension == nullptr) return false;
    known_layers(document, *extension);
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
