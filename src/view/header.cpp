#include "view/header.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/rows.hpp"
#include "marrow/render.hpp"
#include "marrow/version.hpp"

namespace marrow::view {
namespace {

using Json = nlohmann::ordered_json;

Json timeline_of(const Timeline& timeline, const std::vector<std::size_t>& frames) {
  Json times = Json::array();
  for (const std::size_t t : frames) times.push_back(timeline.times[t]);
  Json clips = Json::array();
  for (const Clip& clip : timeline.clips) {
    const auto first = std::ranges::lower_bound(frames, clip.first);
    const auto last = std::ranges::lower_bound(frames, clip.first + clip.count);
    clips.push_back({{"name", clip.name}, {"first", first - frames.begin()}, {"count", last - first}});
  }
  return {{"times", times}, {"clips", clips}, {"source_frames", timeline.frames()}, {"source", frames}};
}

Json skeleton_of(const Rig& rig) {
  Json colors = Json::array();
  for (std::size_t j = 0; j < rig.bones(); ++j) {
    const Rgb c = bone_color(j);
    colors.push_back(fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b));
  }
  return {{"names", rig.skeleton.names}, {"parents", rig.skeleton.parents}, {"colors", colors}};
}

/// Name of the model in the page, and its largest number of bones per vertex.
std::pair<const char*, std::size_t> kind_of(const DdmRig& ddm) {
  return {"direct_delta_mush", longest_row(ddm.multi_weights.offsets)};
}
std::pair<const char*, std::size_t> kind_of(const TwoLayerRig& rig) {
  return {"two_layer", longest_row(rig.weights.offsets)};
}
std::pair<const char*, std::size_t> kind_of(const CompressedDdm& model) {
  return {"compressed_ddm", longest_row(model.weights.offsets)};
}

Json rig_of(const Page& page) {
  const Rig& rig = *page.shown_rig();
  Bytes bytes = storage(rig);
  std::pair<const char*, std::size_t> kind = {"linear_blend", longest_row(rig.weights.offsets)};
  if (page.model != nullptr) {
    bytes.rig += storage(*page.model);
    kind = std::visit([](const auto& model) { return kind_of(model); }, *page.model);
  }
  return {{"model", kind.first},
          {"influences", kind.second},
          {"skeleton", skeleton_of(rig)},
          {"bytes", {{"rig", bytes.rig}, {"raw_frames", bytes.raw_frames}, {"morph_targets", bytes.morph_targets}}}};
}

}  // namespace

Json header(const Page& page, const std::vector<std::size_t>& frames) {
  const Rig* rig = page.shown_rig();
  const Mesh& mesh = rig != nullptr ? rig->mesh : page.original->mesh;
  const Timeline& timeline = rig != nullptr ? rig->motion.timeline : page.original->timeline;
  Json curve = Json::array();
  for (const BonesError& point : page.error_by_bones) curve.push_back({point.bones, point.e_rms});
  return {{"format", 1},
          {"version", MARROW_VERSION},
          {"title", page.title},
          {"vertices", mesh.vertices()},
          {"faces", mesh.faces()},
          {"size", page.metrics != nullptr ? page.metrics->size : size_of(mesh.positions)},
          {"timeline", timeline_of(timeline, frames)},
          {"rig", rig != nullptr ? rig_of(page) : Json()},
          {"metrics", page.metrics != nullptr ? Json::parse(to_json(*page.metrics)) : Json()},
          {"report", page.report != nullptr ? Json::parse(to_json(*page.report)) : Json()},
          {"error_by_bones", curve}};
}

}  // namespace marrow::view
