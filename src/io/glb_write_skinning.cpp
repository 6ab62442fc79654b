#include <algorithm>
#include <array>
#include <cmath>

#include "io/glb_skinning.hpp"

namespace marrow {
namespace {

std::size_t add_centres(GlbFile& glb, const std::vector<Vec3>& centres) {
  const auto write = [&centres](ByteStream& out) {
    for (const Vec3& p : centres) out.put(std::array{p.x, p.y, p.z});
  };
  return glb.add({"centres of rotation", 12 * centres.size(), 0, write}, {.type = "VEC3", .count = centres.size()});
}

/// Two bytes each, or four where that is not enough.
std::size_t add_sources(GlbFile& glb, const std::vector<std::uint32_t>& sources) {
  constexpr std::uint32_t most = 65535;
  if (std::ranges::any_of(sources, [](std::uint32_t s) { return s > most; })) {
    return glb.add({"what rows blend", 4 * sources.size(), 0,
                    [&sources](ByteStream& out) { out.put(std::span<const std::uint32_t>(sources)); }},
                   {.component = ComponentType::u32, .count = sources.size()});
  }
  const auto write = [&sources](ByteStream& out) {
    for (const std::uint32_t source : sources) out.put(std::array{static_cast<std::uint16_t>(source)});
  };
  return glb.add({"what rows blend", 2 * sources.size(), 0, write},
                 {.component = ComponentType::u16, .count = sources.size()});
}

std::size_t add_offsets(GlbFile& glb, const std::vector<std::uint32_t>& offsets) {
  return glb.add({"rows", 4 * offsets.size(), 0,
                  [&offsets](ByteStream& out) { out.put(std::span<const std::uint32_t>(offsets)); }},
                 {.component = ComponentType::u32, .count = offsets.size()});
}

GlbFile::Json describe_layer(GlbFile& glb, const MultiWeights& weights, const std::vector<Vec3>& centres) {
  const auto write = [&weights](ByteStream& out) {
    for (const MultiWeights::Value& v : weights.values) out.put(std::span<const float>(v));
  };
  return {{"kind", multi_weights_layer},
          {"rows", centres.size()},
          {"centres", add_centres(glb, centres)},
          {"offsets", add_offsets(glb, weights.offsets)},
          {"bones", add_sources(glb, weights.bones)},
          {"values",
           glb.add({"multi-weights", 40 * weights.values.size(), 0, write}, {.count = 10 * weights.values.size()})}};
}

/// Floats, or whole steps of 1 / 65535 where that is what the values are.
std::size_t add_values(GlbFile& glb, const std::vector<float>& values, bool floats) {
  if (floats) {
    return glb.add(
        {"weights", 4 * values.size(), 0, [&values](ByteStream& out) { out.put(std::span<const float>(values)); }},
        {.count = values.size()});
  }
  const auto write = [&values](ByteStream& out) {
    for (const float v : values) out.put(std::array{static_cast<std::uint16_t>(std::lround(v * 65535))});
  };
  return glb.add({"weights", 2 * values.size(), 0, write},
                 {.component = ComponentType::u16, .count = values.size(), .normalized = true});
}

GlbFile::Json describe_layer(GlbFile& glb, const std::vector<std::uint32_t>& offsets,
                             const std::vector<std::uint32_t>& sources, const std::vector<float>& values, bool floats) {
  return {{"kind", weights_layer},
          {"rows", offsets.size() - 1},
          {"offsets", add_offsets(glb, offsets)},
          {"bones", add_sources(glb, sources)},
          {"values", add_values(glb, values, floats)}};
}

GlbFile::Json layers_of(GlbFile& glb, const DdmRig& ddm, const GlbOptions&) {
  return GlbFile::Json::array({describe_layer(glb, ddm.multi_weights, ddm.centres)});
}

GlbFile::Json layers_of(GlbFile& glb, const TwoLayerRig& rig, const GlbOptions& options) {
  const auto describe = [&](const Blends& blends) {
    return describe_layer(glb, blends.offsets, blends.sources, blends.values,
                          options.float_layers || !is_convex(blends));
  };
  GlbFile::Json layers = GlbFile::Json::array({describe(rig.virtual_bones)});
  layers.push_back(describe(rig.vertices));
  return layers;
}

GlbFile::Json layers_of(GlbFile& glb, const CompressedDdm& model, const GlbOptions&) {
  GlbFile::Json layers = GlbFile::Json::array({describe_layer(glb, model.virtual_bones, model.centres)});
  layers.push_back(describe_layer(glb, model.weights.offsets, model.weights.bones, model.weights.values, true));
  return layers;
}

}  // namespace

GlbFile::Json describe_skinning(GlbFile& glb, const Model& model, const GlbOptions& options) {
  GlbFile::Json layers = std::visit([&](const auto& kind) { return layers_of(glb, kind, options); }, model);
  return {{"version", skinning_version}, {"mesh", 0}, {"skin", 0}, {"layers", std::move(layers)}};
}

}  // namespace marrow
