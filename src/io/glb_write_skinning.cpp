#include <array>

#include "io/glb_skinning.hpp"

namespace marrow {
namespace {

std::size_t add_centres(GlbFile& glb, const std::vector<Vec3>& centres) {
  const auto write = [&centres](ByteStream& out) {
    for (const Vec3& p : centres) out.put(std::array{p.x, p.y, p.z});
  };
  return glb.add({"centres of rotation", 12 * centres.size(), 0, write}, {.type = "VEC3", .count = centres.size()});
}

std::size_t add_bones(GlbFile& glb, const std::vector<std::uint32_t>& bones) {
  const auto write = [&bones](ByteStream& out) {
    for (const std::uint32_t bone : bones) out.put(std::array{static_cast<std::uint16_t>(bone)});
  };
  return glb.add({"bones of multi-weights", 2 * bones.size(), 0, write},
                 {.component = ComponentType::u16, .count = bones.size()});
}

}  // namespace

GlbFile::Json describe_skinning(GlbFile& glb, const DdmRig& ddm) {
  const MultiWeights& weights = ddm.multi_weights;
  const std::size_t offsets =
      glb.add({"rows of multi-weights", 4 * weights.offsets.size(), 0,
               [&weights](ByteStream& out) { out.put(std::span<const std::uint32_t>(weights.offsets)); }},
              {.component = ComponentType::u32, .count = weights.offsets.size()});
  const std::size_t values = glb.add({"multi-weights", 40 * weights.values.size(), 0,
                                      [&weights](ByteStream& out) {
                                        for (const MultiWeights::Value& v : weights.values)
                                          out.put(std::span<const float>(v));
                                      }},
                                     {.count = 10 * weights.values.size()});
  const GlbFile::Json layer = {{"kind", multi_weights_layer},
                               {"rows", ddm.vertices()},
                               {"centres", add_centres(glb, ddm.centres)},
                               {"offsets", offsets},
                               {"bones", add_bones(glb, weights.bones)},
                               {"values", values}};
  return {{"version", skinning_version}, {"mesh", 0}, {"skin", 0}, {"layers", GlbFile::Json::array({layer})}};
}

}  // namespace marrow
