#include <algorithm>
#include <array>
#include <cmath>

#include "core/rows.hpp"
#include "io/glb_skinning.hpp"

namespace marrow {
namespace {

std::size_t add_centres(GlbFile& glb, const std::vector<Vec3>& centres) {
  const auto write = [&centres](ByteStream& out) {
    for (const Vec3& p : centres) out.put(std::array{p.x, p.y, p.z});
  };
  return glb.add({"centres of rotation", 12 * centres.size(), 0, write}, {.type = "VEC3", .count = centres.size()});
}

/// Adds integers in the smallest type that can index `kinds` items.
std::size_t add_integers(GlbFile& glb, const char* subject, std::vector<std::uint32_t> numbers, std::size_t kinds) {
  const std::size_t count = numbers.size(), bytes = index_bytes(kinds);
  const ComponentType component = bytes == 1 ? ComponentType::u8 : bytes == 2 ? ComponentType::u16 : ComponentType::u32;
  const auto write = [numbers = std::move(numbers), bytes](ByteStream& out) {
    for (const std::uint32_t number : numbers) {
      if (bytes == 1) out.put(std::array{std::uint8_t(number)});
      if (bytes == 2) out.put(std::array{std::uint16_t(number)});
      if (bytes == 4) out.put(std::array{number});
    }
  };
  return glb.add({subject, bytes * count, 0, write}, {.component = component, .count = count});
}

std::size_t add_counts(GlbFile& glb, const std::vector<std::uint32_t>& offsets) {
  std::vector<std::uint32_t> counts;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) counts.push_back(offsets[i + 1] - offsets[i]);
  return add_integers(glb, "lengths of rows", std::move(counts), longest_row(offsets) + 1);
}

GlbFile::Json describe_layer(GlbFile& glb, const MultiWeights& weights, const std::vector<Vec3>& centres,
                             std::size_t bones) {
  const auto write = [&weights](ByteStream& out) {
    for (const MultiWeights::Value& v : weights.values) out.put(std::span<const float>(v));
  };
  return {{"kind", multi_weights_layer},
          {"rows", centres.size()},
          {"centres", add_centres(glb, centres)},
          {"counts", add_counts(glb, weights.offsets)},
          {"bones", add_integers(glb, "what rows blend", weights.bones, bones)},
          {"values",
           glb.add({"multi-weights", 40 * weights.values.size(), 0, write}, {.count = 10 * weights.values.size()})}};
}

/// Adds weights as floats or as 16-bit steps. No stored value exceeds 1/2, so that steps are 1/131070.
std::size_t add_values(GlbFile& glb, std::vector<float> values, bool floats) {
  const std::size_t count = values.size();
  if (floats) {
    const auto write = [values = std::move(values)](ByteStream& out) { out.put(std::span<const float>(values)); };
    return glb.add({"weights", 4 * count, 0, write}, {.count = count});
  }
  const auto write = [values = std::move(values)](ByteStream& out) {
    for (const float v : values) out.put(std::array{std::uint16_t(std::lround(v * layer_steps))});
  };
  return glb.add({"weights", 2 * count, 0, write},
                 {.component = ComponentType::u16, .count = count, .normalized = true});
}

/// A layer of blends. The largest value of a row is not stored: it is 1 minus the others. Its source comes first.
GlbFile::Json describe_layer(GlbFile& glb, const std::vector<std::uint32_t>& offsets,
                             const std::vector<std::uint32_t>& sources, const std::vector<float>& values,
                             std::size_t source_count, bool floats) {
  std::vector<std::uint32_t> stored_sources = sources;
  std::vector<float> stored_values;
  stored_values.reserve(values.size());
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const std::uint32_t begin = offsets[i], end = offsets[i + 1];
    const std::size_t largest = begin + left_out_of(std::span(values).subspan(begin, end - begin));
    const auto first = stored_sources.begin() + begin;
    std::rotate(first, stored_sources.begin() + std::ptrdiff_t(largest), first + std::ptrdiff_t(largest - begin) + 1);
    for (std::size_t e = begin; e < end; ++e) {
      if (e != largest) stored_values.push_back(values[e]);
    }
  }
  GlbFile::Json layer = {{"kind", weights_layer},
                         {"rows", offsets.size() - 1},
                         {"counts", add_counts(glb, offsets)},
                         {"bones", add_integers(glb, "what rows blend", std::move(stored_sources), source_count)}};
  // With one source in every row nothing is stored, and glTF has no empty accessors.
  if (!stored_values.empty()) layer["values"] = add_values(glb, std::move(stored_values), floats);
  return layer;
}

GlbFile::Json layers_of(GlbFile& glb, const DdmRig& ddm, const GlbOptions&) {
  return GlbFile::Json::array({describe_layer(glb, ddm.multi_weights, ddm.centres, ddm.bones())});
}

GlbFile::Json layers_of(GlbFile& glb, const TwoLayerRig& rig, const GlbOptions& options) {
  const auto describe = [&](const Blends& blends, std::size_t sources) {
    return describe_layer(glb, blends.offsets, blends.sources, blends.values, sources,
                          options.float_layers || !is_convex(blends));
  };
  GlbFile::Json layers = GlbFile::Json::array({describe(rig.virtual_bones, rig.rig.bones())});
  layers.push_back(describe(rig.weights, rig.virtual_bone_count()));
  return layers;
}

GlbFile::Json layers_of(GlbFile& glb, const CompressedDdm& model, const GlbOptions&) {
  const auto& [offsets, bones, values] = model.weights;
  GlbFile::Json layers = GlbFile::Json::array({describe_layer(glb, model.virtual_bones, model.centres, model.bones())});
  layers.push_back(describe_layer(glb, offsets, bones, values, model.virtual_bone_count(), true));
  return layers;
}

}  // namespace

GlbFile::Json describe_skinning(GlbFile& glb, const Model& model, const GlbOptions& options) {
  GlbFile::Json layers = std::visit([&](const auto& kind) { return layers_of(glb, kind, options); }, model);
  return {{"version", skinning_version}, {"mesh", 0}, {"skin", 0}, {"layers", std::move(layers)}};
}

}  // namespace marrow
