#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/rows.hpp"
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
constexpr const char* remake = "make it anew with marrow ddm or compress";

/// Kinds of the layers of each model.
const std::vector<std::string> ddm_kinds = {multi_weights_layer}, two_layer_kinds = {weights_layer, weights_layer},
                               compressed_kinds = {multi_weights_layer, weights_layer};

/// The kinds of the layers. Fails if the version or the combination is unknown.
std::vector<std::string> known_layers(const Document& document, const Json& extension) {
  const std::size_t version = document.integer(extension, "version", extension_place).value_or(0);
  if (version != skinning_version) {
    document.fail(extension_place,
                  fmt::format("is of version {}, but this program knows only {}; {}", version, skinning_version,
                              version > skinning_version ? "use a newer marrow" : remake));
  }
  // Bones, positions and rows match read_rig() only in files as write_glb() wrote them.
  const bool whole = document.is_own() && document.integer(extension, "mesh", extension_place).value_or(0) == 0 &&
                     document.integer(extension, "skin", extension_place).value_or(0) == 0;
  if (!whole) {
    document.fail(extension_place, fmt::format("belongs to a file that was changed since marrow wrote it; {}", remake));
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

/// Access to the arrays of one layer.
class Layer {
 public:
  Layer(const Document& document, const Json& json) : document_(document), json_(json) {}

  bool has(const char* key) const { return json_.contains(key); }
  std::vector<std::uint32_t> integers(const char* key) const { return document_.integers(accessor(key), 1); }
  std::vector<float> floats(const char* key, std::size_t width) const { return document_.floats(accessor(key), width); }
  /// Whether integers are normalised (divided by their range).
  bool is_normalized(const char* key) const {
    const Json& item = document_.item("accessors", accessor(key));
    return item.contains("normalized") && item["normalized"] == true;
  }

  /// Row offsets from row lengths. Fails if a row is empty or the sum is not `entries`.
  std::vector<std::uint32_t> offsets(std::size_t entries) const {
    const std::vector<std::uint32_t> counts = integers("counts");
    document_.charge(counts.size() + 1, sizeof(std::uint32_t), extension_place);
    std::vector<std::uint32_t> offsets{0};
    offsets.reserve(counts.size() + 1);
    std::uint64_t sum = 0;
    for (const std::uint32_t count : counts) {
      if (count == 0) refuse(fmt::format("row {} is empty", offsets.size() - 1));
      sum += count;
      if (sum > entries) break;
      offsets.push_back(std::uint32_t(sum));
    }
    const std::size_t stated = document_.integer(json_, "rows", extension_place).value_or(0);
    if (counts.size() != stated || sum != entries) {
      refuse(fmt::format("{} rows, {} lengths of rows and {} bones do not fit each other", stated, counts.size(),
                         entries));
    }
    return offsets;
  }

  void require_count(const char* key, std::size_t is, std::size_t should) const {
    if (is != should) refuse(fmt::format("{} {} where {} belong do not fit", is, key, should));
  }

  [[noreturn]] static void refuse(const std::string& what) { throw Error(ErrorCode::bad_input, extension_place, what); }

 private:
  std::size_t accessor(const char* key) const {
    return document_.required_reference(json_, key, "accessors", extension_place);
  }

  const Document& document_;
  const Json& json_;
};

/// Checks that the arrays fit each other; validate() checks their values.
void read_multi_weights(const Document& document, const Json& json, MultiWeights& weights, std::vector<Vec3>& places) {
  const Layer layer(document, json);
  weights.bones = layer.integers("bones");
  weights.offsets = layer.offsets(weights.bones.size());
  const std::vector<float> values = layer.floats("values", 1), centres = layer.floats("centres", 3);
  const std::size_t entries = weights.bones.size(), rows = weights.offsets.size() - 1;
  layer.require_count("values", values.size(), 10 * entries);
  layer.require_count("centres", centres.size(), 3 * rows);
  document.charge(entries, sizeof(MultiWeights::Value), extension_place);
  weights.values.resize(entries);
  for (std::size_t e = 0; e < values.size(); ++e) weights.values[e / 10][e % 10] = values[e];
  places.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) places.push_back({centres[3 * i], centres[3 * i + 1], centres[3 * i + 2]});
}

/// The value of a row's first source is not stored: it is 1 minus the others. Then the source is moved to its place.
void read_blends(const Document& document, const Json& json, Blends& blends) {
  const Layer layer(document, json);
  blends.sources = layer.integers("bones");
  blends.offsets = layer.offsets(blends.sources.size());
  // Left out where there are none; files written before have an accessor of length 0.
  const bool none = blends.sources.size() == blends.rows() && !layer.has("values");
  std::vector<float> stored = none ? std::vector<float>{} : layer.floats("values", 1);
  layer.require_count("values", stored.size(), blends.sources.size() - blends.rows());
  document.charge(blends.sources.size(), sizeof(float), extension_place);
  blends.values.reserve(blends.sources.size());
  const bool in_steps = !none && layer.is_normalized("values");
  if (in_steps) {
    for (float& value : stored) value /= 2;
  }
  auto next = stored.begin();
  for (std::size_t i = 0; i < blends.rows(); ++i) {
    const std::size_t begin = blends.offsets[i], end = blends.offsets[i + 1];
    const auto last = next + std::ptrdiff_t(end - begin - 1);
    const double rest = 1 - std::accumulate(next, last, 0.0);
    blends.values.push_back(in_steps ? float(std::round(layer_steps * rest)) / layer_steps : float(rest));
    blends.values.insert(blends.values.end(), next, last);
    next = last;
    for (std::size_t e = begin; e + 1 < end && blends.sources[e] > blends.sources[e + 1]; ++e) {
      std::swap(blends.sources[e], blends.sources[e + 1]);
      std::swap(blends.values[e], blends.values[e + 1]);
    }
  }
}

Model read_layers(const Document& document, const Json& extension, Rig rig) {
  const std::vector<std::string> kinds = known_layers(document, extension);
  const Json& layers = document.list(extension, "layers", extension_place);
  if (kinds == two_layer_kinds) {
    TwoLayerRig result{std::move(rig), {}, {}};
    read_blends(document, layers[0], result.virtual_bones);
    read_blends(document, layers[1], result.weights);
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

Model read_model_of(const GlbSource& source, Rig rig, const Run& run) {
  const Document document(source, run);
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
    throw Error(error.code(), source.name(), fmt::format("{}; {}", error.what(), remake));
  }
}

}  // namespace

Model read_model(const std::filesystem::path& file, const Run& run) {
  return read_model_of(file, read_rig(file, {}, run), run);
}

Model read_model(std::span<const std::byte> glb, const Run& run) {
  return read_model_of(glb, read_rig(glb, {}, run), run);
}

bool has_model_extension(const std::filesystem::path& file) {
  try {
    return Document(GlbSource(file), {}).extension(skinning_extension) != nullptr;
  } catch (const Error&) {
    return false;  // the reader reports what is wrong
  }
}

bool has_model(const std::filesystem::path& file) {
  try {
    const Document document(file, {});
    const Json* extension = document.extension(skinning_extension);
    if (extension == nullptr) return false;
    known_layers(document, *extension);
    return true;
  } catch (const Error&) {
    return false;  // the reader reports what is wrong
  }
}

std::vector<std::array<float, 3>> read_vertex_colors(const std::filesystem::path& file) {
  const Document document(file, {});
  glb::Geometry geometry = read_geometry(document, read_scene(document));
  // Parts after the last one with colours are white.
  if (!geometry.colors.empty()) geometry.colors.resize(geometry.mesh.vertices(), {1, 1, 1});
  return std::move(geometry.colors);
}

}  // namespace marrow
