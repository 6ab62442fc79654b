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

/// The OBJ beside a PC2, which has neither rest pose nor faces.
std::filesystem::path rest_of(std::filesystem::path pc2) {
  return pc2.replace_extension(".obj");
}

/// Whether the file has the vertices and faces of the mesh; Error{bad_request} where it is there and has others.
bool has_rest(const Mesh& mesh, const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return false;
  bool same = false;
  try {
    const Mesh there = read_sequence({file.string()}).mesh;
    same = there.positions == mesh.positions && there.face_offsets == mesh.face_offsets &&
           there.face_vertices == mesh.face_vertices;
  } catch (const Error&) {
    // No mesh at all.
  }
  if (same) return true;
  throw Error(ErrorCode::bad_request, file.string(),
              "is there with another content, but the rest pose and faces for the PC2 belong there; move it away, or "
              "choose another name for the PC2");
}

void write_pc2_with_rest(const Sequence& sequence, const std::filesystem::path& out, const Run& run) {
  const std::filesystem::path rest = rest_of(out);
  check_folder(out.string());
  if (!has_rest(sequence.mesh, rest)) write_obj(sequence.mesh, rest);
  write_pc2(sequence, out, run);
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
    write_pc2_with_rest(as_sequence(std::move(animated), run), out, run);
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
  Stages stages(run, {1, 1});
  Animated animated = read_input(convert.input, stages.next());
  write(std::move(animated), out, convert, stages.next());
  end_progress();
  const bool has_pc2 = suffix_of(out) == ".pc2";
  if (convert.common.json) {
    nlohmann::ordered_json json = {{"written", out.string()}};
    if (has_pc2) json["rest"] = rest_of(out).string();
    fmt::print("{}\n", json.dump(2));
  } else if (!convert.common.quiet) {
    fmt::print("wrote {}{}\n", out.string(),
               has_pc2 ? fmt::format("; its rest pose and faces are in {}", rest_of(out).string()) : "");
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
  add_read_flags(*app, convert->common, convert->input);
  add_count(*app, "--frame", convert->frame, "Write only this frame, counted from 0, to a single OBJ");
  return {app, with_options(convert->common.flags, [convert] { return run(*convert); })};
}

}  // namespace marrow::cli
