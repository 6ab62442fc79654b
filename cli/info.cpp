#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "common.hpp"
#include "marrow/diagnose.hpp"
#include "marrow/error.hpp"

namespace marrow::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Info {
  Common common;
  Input input;
};

Json describe(const Mesh& mesh) {
  Json json;
  json["vertices"] = mesh.vertices();
  json["faces"] = mesh.faces();
  json["shells"] = count_shells(mesh);
  json["uvs"] = !mesh.corner_uvs.empty();
  json["normals"] = !mesh.corner_normals.empty();
  json["size"] = size_of(mesh.positions);
  json["ball_radius"] = smallest_enclosing_ball(mesh.positions).radius;
  Vec3 low{}, high{};
  if (mesh.vertices() > 0) low = high = mesh.positions[0];
  for (const Vec3& p : mesh.positions) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  json["bounds"] = {{low.x, low.y, low.z}, {high.x, high.y, high.z}};
  return json;
}

Json describe(const Timeline& timeline) {
  Json clips = Json::array();
  for (const Clip& clip : timeline.clips) {
    const double seconds = timeline.times[clip.first + clip.count - 1] - timeline.times[clip.first];
    clips.push_back({{"name", clip.name},
                     {"frames", clip.count},
                     {"seconds", seconds},
                     {"fps", seconds > 0 ? double(clip.count - 1) / seconds : 0.0}});
  }
  return clips;
}

Json describe_bones(const Rig& rig) {
  Json json;
  json["bones"] = rig.bones();
  json["roots"] = std::ranges::count(rig.skeleton.parents, -1);
  std::vector<std::size_t> histogram(rig.weights.max_influences() + 1);
  for (std::size_t i = 0; i < rig.vertices(); ++i) ++histogram[rig.weights.row_bones(i).size()];
  json["max_influences"] = rig.weights.max_influences();
  json["vertices_by_influences"] = histogram;
  double defect = 0;
  for (const Affine& transform : rig.motion.transforms) defect = std::max(defect, orthonormality_defect(transform));
  json["rigid"] = defect < 1e-4;
  json["rigidity_defect"] = defect;
  const Bytes bytes = storage(rig);
  json["bytes"] = {{"raw_frames", bytes.raw_frames}, {"rig", bytes.rig}};
  json["bone_names"] = rig.skeleton.names;
  return json;
}

/// What the file has beside its plain skin, with a warning where that cannot be read; nothing where there is nothing.
void add_model(const Input& input, const Run& run, Json& json) {
  if (input.files.size() != 1 || !is_gltf(input.files.front()) || !has_model_extension(input.files.front())) return;
  try {
    const Model model = marrow::read_model(input.files.front(), run);
    json["model"] = {{"kind", model_name(model)}, {"bytes", storage(model)}};
  } catch (const Error& error) {
    json["warnings"].push_back(error.what());
  }
}

void print(const Json& json) {
  fmt::print("{:<12}{}\n", "kind", json["kind"].get<std::string>());
  fmt::print("{:<12}{} vertices, {} faces, {} shells{}{}\n", "mesh", with_thousands(json["vertices"]),
             with_thousands(json["faces"]), with_thousands(json["shells"]), json["uvs"] ? ", uvs" : "",
             json["normals"] ? ", normals" : "");
  fmt::print("{:<12}{:.6g} (bounding-box diagonal), smallest ball of radius {:.6g}\n", "size",
             json["size"].get<double>(), json["ball_radius"].get<double>());
  fmt::print("{:<12}{}\n", "frames", with_thousands(json["frames"]));
  for (const Json& clip : json["clips"]) {
    fmt::print("{:<12}\"{}\": {} frames, {:.3g} s, {:.4g} per second\n", "  clip", clip["name"].get<std::string>(),
               clip["frames"].get<std::size_t>(), clip["seconds"].get<double>(), clip["fps"].get<double>());
  }
  if (json.contains("bones")) {
    fmt::print("{:<12}{}, {} at the root, {}\n", "bones", json["bones"].get<std::size_t>(),
               json["roots"].get<std::size_t>(), json["rigid"] ? "rigid" : "not rigid");
    fmt::print("{:<12}up to {} per vertex\n", "influences", json["max_influences"].get<std::size_t>());
    fmt::print("{:<12}{} as a rig, {} as raw frames\n", "bytes", human_bytes(json["bytes"]["rig"]),
               human_bytes(json["bytes"]["raw_frames"]));
  }
  if (json.contains("model")) {
    fmt::print("{:<12}{} beside the plain skin, {}\n", "model", json["model"]["kind"].get<std::string>(),
               human_bytes(json["model"]["bytes"]));
  }
  for (const Json& warning : json["warnings"]) fmt::print("{:<12}{}\n", "warning", warning.get<std::string>());
}

/// Without the warning that the model is not used: it is named.
Animated read_info(const Input& input, const Run& run) {
  Animated animated = read(input.files, input.reading, run);
  if (!input.clip.empty()) std::visit([&](auto& value) { value = select_clip(value, input.clip); }, animated);
  return animated;
}

int run(const Info& info) {
  const Run run = info.common.run();
  const Animated animated = read_info(info.input, run);
  const Rig* rig = std::get_if<Rig>(&animated);
  const Sequence* sequence = std::get_if<Sequence>(&animated);
  Json json;
  json["kind"] = rig != nullptr ? "rig" : "sequence";
  json.update(describe(rig != nullptr ? rig->mesh : sequence->mesh));
  json["frames"] = rig != nullptr ? rig->frames() : sequence->frames();
  json["clips"] = describe(rig != nullptr ? rig->motion.timeline : sequence->timeline);
  if (rig != nullptr) json.update(describe_bones(*rig));
  json["warnings"] = sequence != nullptr ? diagnose(*sequence) : std::vector<std::string>{};
  add_model(info.input, run, json);
  end_progress();
  if (info.common.json) {
    fmt::print("{}\n", json.dump(2));
  } else {
    print(json);
  }
  return Exit::done;
}

}  // namespace

Command make_info(CLI::App& root) {
  const auto info = std::make_shared<Info>();
  CLI::App* app = add_command(root, info->common, "info", "Say what is in a file, and what looks wrong with it",
                              "marrow info horse.pc2 --rest horse.obj");
  add_input(*app, info->common, info->input);
  return {app, with_options(info->common.flags, [info] { return run(*info); })};
}

}  // namespace marrow::cli
