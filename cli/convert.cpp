#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "common.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"

namespace marrow::cli {
namespace {

struct Convert {
  Common common;
  Input input;
  std::vector<std::string> paths;  // IN..., then OUT
  std::string clip;
  std::optional<std::size_t> frame;
};

Mesh mesh_at(const Sequence& sequence, std::optional<std::size_t> frame) {
  Mesh mesh = sequence.mesh;
  if (!frame) {
    if (sequence.frames() <= 1) return mesh;
    throw Error(ErrorCode::bad_request, "convert",
                fmt::format("one OBJ holds one pose, but the input has {} frames; give --frame N, or a folder to write "
                            "them all to",
                            sequence.frames()));
  }
  if (*frame >= sequence.frames()) {
    throw Error(ErrorCode::bad_request, "--frame",
                fmt::format("there is no frame {}; the last one is {}", *frame, sequence.frames() - 1));
  }
  const auto positions = sequence.frame(*frame);
  mesh.positions.assign(positions.begin(), positions.end());
  // Normals of the rest pose are wrong in another one.
  mesh.normals.clear();
  mesh.corner_normals.clear();
  return mesh;
}

Sequence as_sequence(Animated&& animated, const Run& run) {
  if (const Rig* rig = std::get_if<Rig>(&animated)) return bake(*rig, run);
  return std::get<Sequence>(std::move(animated));
}

void write(Animated&& animated, const std::filesystem::path& out, const Convert& convert, const Run& run) {
  const std::string extension = suffix_of(out);
  if (extension == ".glb") {
    const Rig* rig = std::get_if<Rig>(&animated);
    if (rig == nullptr) {
      throw Error(ErrorCode::bad_request, out.string(),
                  "a GLB is written from a rig, and the input has no bones; write .pc2 or an OBJ folder instead");
    }
    write_glb(*rig, out, {}, run);
  } else if (extension == ".pc2") {
    write_pc2(as_sequence(std::move(animated), run), out, run);
  } else if (extension == ".obj") {
    write_obj(mesh_at(as_sequence(std::move(animated), run), convert.frame), out);
  } else if (extension.empty()) {
    write_obj_sequence(as_sequence(std::move(animated), run), out, run);
  } else {
    throw Error(
        ErrorCode::bad_request, out.string(),
        fmt::format("\"{}\" is not a format that can be written; give .glb, .pc2, .obj, or a folder for numbered "
                    "OBJ files",
                    extension));
  }
}

int run(Convert& convert) {
  if (convert.paths.size() < 2) {
    throw Error(ErrorCode::bad_request, "convert", "give what to read and where to write: marrow convert IN OUT");
  }
  const std::filesystem::path out = convert.paths.back();
  convert.input.files.assign(convert.paths.begin(), convert.paths.end() - 1);
  const Run run = convert.common.run();
  Animated animated = read(convert.input.files, convert.input.options(), run);
  warn_of_model(convert.input.files, run);
  if (!convert.clip.empty()) {
    std::visit([&](auto& value) { value = select_clip(value, convert.clip); }, animated);
  }
  write(std::move(animated), out, convert, run);
  end_progress();
  if (convert.common.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"written", out.string()}}.dump(2));
  } else if (!convert.common.quiet) {
    fmt::print("wrote {}\n", out.string());
  }
  return Exit::done;
}

}  // namespace

Command make_convert(CLI::App& root) {
  const auto convert = std::make_shared<Convert>();
  CLI::App* app = add_command(root, convert->common, "convert",
                              "Convert between GLB, PC2 and OBJ files; bones are baked where the target has none",
                              "marrow convert Fox.glb fox.pc2 --clip Walk");
  app->add_option("IN OUT", convert->paths,
                  "What to read (GLB, PC2, OBJ, folder or \"glob\"), then where to write: .glb, .pc2, .obj or a folder")
      ->required();
  add_read_flags(*app, convert->input);
  app->add_option("--clip", convert->clip, "Only this clip");
  add_count(*app, "--frame", convert->frame, "Only this frame, counted from 0 (for a single OBJ)");
  return {app, [convert] { return run(*convert); }};
}

}  // namespace marrow::cli
