#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/atomic_file.hpp"
#include "core/check.hpp"
#include "marrow/view.hpp"
#include "view/header.hpp"
#include "view/payload.hpp"
#include "view/quantise.hpp"
#include "view/template.hpp"

namespace marrow {
namespace {

using view::Payload;
using Json = nlohmann::ordered_json;
using Point = std::array<double, 3>;

// Placeholders in viewer/index.html.
constexpr std::string_view header_place = "{\"marrow\":\"header\"}";
constexpr std::string_view data_place = "marrow-data-goes-here";

void check(const Page& page) {
  constexpr const char* where = "write_page";
  require(page.shown_rig() != nullptr || page.original != nullptr, where,
          [] { return "there is neither an original nor a rig"; });
  require(page.rig == nullptr || page.model == nullptr, where,
          [] { return "give a rig or a model, not both: a model includes its plain skin"; });
  if (page.rig != nullptr) validate(*page.rig);
  if (page.model != nullptr) validate(*page.model);
  if (page.original != nullptr) validate(*page.original);
  require(page.metrics == nullptr || page.model != nullptr || (page.rig != nullptr && page.original != nullptr), where,
          [] { return "metrics need both an original and a rig"; });
  if (page.shown_rig() == nullptr || page.original == nullptr) return;
  const Rig& rig = *page.shown_rig();
  const Sequence& original = *page.original;
  require(rig.vertices() == original.vertices() && rig.frames() == original.frames(), where, [&] {
    return fmt::format(
        "the rig has {} vertices and {} frames, the original {} and {}; give the sequence it was made from",
        rig.vertices(), rig.frames(), original.vertices(), original.frames());
  });
}

const Mesh& mesh_of(const Page& page) {
  return page.shown_rig() != nullptr ? page.shown_rig()->mesh : page.original->mesh;
}

const Timeline& timeline_of(const Page& page) {
  return page.shown_rig() != nullptr ? page.shown_rig()->motion.timeline : page.original->timeline;
}

/// Centre of the rest pose. The page's floats are relative to it, so that a model far from the origin keeps precision.
Point middle(std::span<const Vec3> positions) {
  if (positions.empty()) return {};
  Vec3 low = positions[0], high = positions[0];
  for (const Vec3& p : positions) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return {(double(low.x) + high.x) / 2, (double(low.y) + high.y) / 2, (double(low.z) + high.z) / 2};
}

std::vector<float> relative(std::span<const Vec3> positions, const Point& centre) {
  std::vector<float> out;
  for (const Vec3& p : positions) {
    out.insert(out.end(), {float(p.x - centre[0]), float(p.y - centre[1]), float(p.z - centre[2])});
  }
  return out;
}

void add_mesh(Payload& payload, const Mesh& mesh, const Point& centre) {
  payload.add("rest", relative(mesh.positions, centre));
  std::vector<std::uint32_t> corners;
  for (const auto& triangle : triangles(mesh)) corners.insert(corners.end(), triangle.begin(), triangle.end());
  payload.add("triangles", corners, Payload::Coding::delta);
  std::vector<std::uint32_t> ends;
  for (const auto& edge : edges(mesh)) ends.insert(ends.end(), edge.begin(), edge.end());
  payload.add("edges", ends, Payload::Coding::delta);
}

void add_rows(std::vector<float>& list, const Affine& a) {
  for (const double v : a.m) list.push_back(float(v));
}

void add_rig(Payload& payload, const Rig& rig, const std::vector<std::size_t>& frames, const Point& centre) {
  const Affine out = Affine::translation(centre[0], centre[1], centre[2]);
  const Affine in = Affine::translation(-centre[0], -centre[1], -centre[2]);
  payload.add("weight_offsets", rig.weights.offsets, Payload::Coding::delta);
  payload.add("weight_bones", rig.weights.bones);
  payload.add("weight_values", rig.weights.values);
  std::vector<float> bind, motion;
  for (const Affine& a : rig.skeleton.bind) add_rows(bind, in * a);
  for (const std::size_t t : frames) {
    for (const Affine& a : rig.motion.frame(t)) add_rows(motion, in * a * out);
  }
  payload.add("bind", bind);
  payload.add("motion", motion);
}

void add_multi_weights(Payload& payload, const MultiWeights& weights, std::span<const Vec3> centres,
                       const Point& centre) {
  payload.add("ddm_offsets", weights.offsets, Payload::Coding::delta);
  payload.add("ddm_bones", weights.bones);
  std::vector<float> values;
  for (const MultiWeights::Value& v : weights.values) values.insert(values.end(), v.begin(), v.end());
  payload.add("ddm_values", values);
  payload.add("ddm_centres", relative(centres, centre));
}

void add_blends(Payload& payload, const std::string& name, const std::vector<std::uint32_t>& offsets,
                const std::vector<std::uint32_t>& sources, const std::vector<float>& values) {
  payload.add(name + "_offsets", offsets, Payload::Coding::delta);
  payload.add(name + "_sources", sources);
  payload.add(name + "_values", values);
}

void add_model(Payload& payload, const DdmRig& ddm, const Point& centre) {
  add_multi_weights(payload, ddm.multi_weights, ddm.centres, centre);
}

void add_model(Payload& payload, const TwoLayerRig& rig, const Point&) {
  add_blends(payload, "virtual", rig.virtual_bones.offsets, rig.virtual_bones.sources, rig.virtual_bones.values);
  add_blends(payload, "vertex", rig.weights.offsets, rig.weights.sources, rig.weights.values);
}

void add_model(Payload& payload, const CompressedDdm& model, const Point& centre) {
  add_multi_weights(payload, model.virtual_bones, model.centres, centre);
  add_blends(payload, "vertex", model.weights.offsets, model.weights.bones, model.weights.values);
}

void add_metrics(Payload& payload, const Metrics& metrics) {
  const auto floats = [](const std::vector<double>& v) { return std::vector<float>(v.begin(), v.end()); };
  payload.add("vertex_rms", floats(metrics.per_vertex_rms));
  payload.add("vertex_max", floats(metrics.per_vertex_max));
}

/// Every stride-th frame of each clip, plus the frame with the largest error.
std::vector<std::size_t> chosen_frames(const Page& page, std::size_t stride) {
  const Timeline& timeline = timeline_of(page);
  std::vector<std::size_t> frames;
  for (const Clip& clip : timeline.clips) {
    for (std::size_t t = 0; t < clip.count; t += stride) frames.push_back(clip.first + t);
  }
  if (page.metrics != nullptr && page.metrics->worst_frame < timeline.frames()) {
    const std::size_t worst = page.metrics->worst_frame;
    const auto place = std::ranges::lower_bound(frames, worst);
    if (place == frames.end() || *place != worst) frames.insert(place, worst);
  }
  return frames;
}

struct Filling {
  std::string header;
  std::string data;
  PageSummary summary;
};

Filling fill(const Page& page, std::size_t stride, const Run& run) {
  const std::vector<std::size_t> frames = chosen_frames(page, stride);
  const Mesh& mesh = mesh_of(page);
  const Point centre = middle(mesh.positions);
  Json json = view::header(page, frames);
  json["centre"] = centre;
  json["original"] = nullptr;
  Filling filling;
  filling.summary.frames = frames.size();
  filling.summary.frames_of = timeline_of(page).frames();
  Payload payload(run);
  add_mesh(payload, mesh, centre);
  if (page.shown_rig() != nullptr) add_rig(payload, *page.shown_rig(), frames, centre);
  if (page.model != nullptr) std::visit([&](const auto& kind) { add_model(payload, kind, centre); }, *page.model);
  if (page.metrics != nullptr) add_metrics(payload, *page.metrics);
  if (page.original != nullptr) {
    const view::QuantisedFrames quantised = view::quantise(*page.original, frames, centre);
    payload.add("frame_origins", quantised.origins);
    payload.add("frames", quantised.values, frames.size(), Payload::Coding::rows);
    json["original"] = {{"kind", "frames"}, {"step", quantised.step}, {"position_error", quantised.bound}};
    filling.summary.position_error = quantised.bound;
  } else if (page.model != nullptr) {
    json["original"] = {{"kind", "plain_skin"}, {"position_error", 0}};
  }
  filling.data = payload.finish();
  json["sections"] = payload.sections();
  // Names and warnings may quote files that are not UTF-8: replace such bytes.
  filling.header = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  // No string may end the script element around it.
  for (std::size_t at = 0; (at = filling.header.find('<', at)) != std::string::npos;) {
    filling.header.replace(at, 1, "\\u003c");
  }
  return filling;
}

}  // namespace

bool has_page_template() {
  return !view::page_template().empty();
}

PageSummary write_page(const Page& page, const std::filesystem::path& file, const PageOptions& options,
                       const Run& run) {
  const std::string_view html = view::page_template();
  if (html.empty()) {
    throw Error(ErrorCode::bad_request, file.string(),
                "this build has no page to fill: run scripts/build-viewer, then build again");
  }
  check(page);
  const std::size_t header_at = html.find(header_place), data_at = html.find(data_place);
  require(header_at != html.npos && data_at != html.npos && header_at < data_at, "write_page",
          [] { return "the page was built from other sources than the library; build viewer/ again"; });

  AtomicFile out(file);
  std::size_t longest = 1;
  for (const Clip& clip : timeline_of(page).clips) longest = std::max(longest, clip.count);
  Filling filling = fill(page, 1, run);
  const auto length = [&] {
    return html.size() - header_place.size() - data_place.size() + filling.header.size() + filling.data.size();
  };
  for (std::size_t stride = 1; length() > options.size_limit && stride < longest;) {
    stride = std::min(longest, std::max(stride + 1, stride * length() / std::max<std::size_t>(1, options.size_limit)));
    filling = fill(page, stride, run);
  }
  filling.summary.bytes = length();
  out.write(html.substr(0, header_at));
  out.write(filling.header);
  out.write(html.substr(header_at + header_place.size(), data_at - header_at - header_place.size()));
  out.write(filling.data);
  out.write(html.substr(data_at + data_place.size()));
  out.commit();

  const PageSummary& summary = filling.summary;
  if (summary.frames < summary.frames_of) {
    run.warn(fmt::format("{}: shows {} of {} frames, to stay below {} bytes", file.string(), summary.frames,
                         summary.frames_of, options.size_limit));
  }
  if (summary.bytes > options.size_limit) {
    run.warn(fmt::format("{}: is {} bytes long, above the limit of {}, with one frame per clip", file.string(),
                         summary.bytes, options.size_limit));
  }
  return summary;
}

}  // namespace marrow
