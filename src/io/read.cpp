#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "io/first_error.hpp"
#include "io/glb.hpp"
#include "io/inputs.hpp"
#include "io/pc2.hpp"
#include "io/units.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"
#include "marrow/io.hpp"
#include "marrow/stages.hpp"

namespace marrow {
namespace {

namespace fs = std::filesystem;

Timeline uniform_timeline(std::size_t frames, const ReadOptions& options) {
  return Timeline::uniform(frames, options.fps > 0 ? options.fps : 30);
}

/// Corners of a face, counted from 1 as in the file.
std::string corners(const Mesh& mesh, std::size_t f) {
  std::vector<std::uint64_t> out;
  for (std::uint32_t c = mesh.face_offsets[f]; c < mesh.face_offsets[f + 1]; ++c) {
    out.push_back(std::uint64_t(mesh.face_vertices[c]) + 1);
  }
  return fmt::format("{}", fmt::join(out, " "));
}

bool same_face(const Mesh& a, const Mesh& b, std::size_t f) {
  return std::equal(a.face_vertices.begin() + a.face_offsets[f], a.face_vertices.begin() + a.face_offsets[f + 1],
                    b.face_vertices.begin() + b.face_offsets[f], b.face_vertices.begin() + b.face_offsets[f + 1]);
}

/// Throws unless the frame has the vertices and faces of the rest pose. Frames without faces are accepted.
void check_same_mesh(const Mesh& frame, const fs::path& file, const Mesh& rest, const fs::path& rest_file) {
  const auto fail = [&](const std::string& message) { throw Error(ErrorCode::bad_file, file.string(), message); };
  if (frame.vertices() != rest.vertices()) {
    fail(fmt::format("has {} vertices, but the rest pose {} has {}; every frame needs the same vertices",
                     frame.vertices(), rest_file.string(), rest.vertices()));
  }
  const bool same = frame.face_offsets == rest.face_offsets && frame.face_vertices == rest.face_vertices;
  if (same || frame.faces() == 0) return;
  for (std::size_t f = 0; f < std::min(frame.faces(), rest.faces()); ++f) {
    if (same_face(frame, rest, f)) continue;
    fail(fmt::format("face {} has the corners {}, but {} in the rest pose {}; every frame needs the same faces", f + 1,
                     corners(frame, f), corners(rest, f), rest_file.string()));
  }
  fail(fmt::format("has {} faces, but the rest pose {} has {}; every frame needs the same faces", frame.faces(),
                   rest_file.string(), rest.faces()));
}

/// Rejects files that are too short for the rest pose's vertices, before memory for all frames is allocated.
void check_lengths(const std::vector<fs::path>& files, const Mesh& rest, const fs::path& rest_file) {
  const std::size_t shortest = std::string_view("v 0 0 0\n").size() * rest.vertices() - 1;
  for (const fs::path& file : files) {
    std::error_code ignored;
    if (fs::file_size(file, ignored) < shortest) check_same_mesh(read_obj(file), file, rest, rest_file);
  }
}

Sequence read_obj_list(const std::vector<fs::path>& files, const ReadOptions& options, const Run& run) {
  const fs::path& rest_file = options.rest.empty() ? files.front() : options.rest;
  Sequence sequence{read_obj(rest_file), uniform_timeline(files.size(), options), {}};
  const Mesh& rest = sequence.mesh;
  check_lengths(files, rest, rest_file);
  need(run, files.size() * rest.vertices(), sizeof(Vec3),
       fmt::format("{}: {} frames of {} vertices", files.front().string(), files.size(), rest.vertices()));
  if (options.rest.empty() && files.size() > 1) {
    run.warn(
        fmt::format("no rest pose is given, so the first frame, {}, is taken for it; name another by the option "
                    "rest (--rest FILE.obj)",
                    rest_file.string()));
  }
  sequence.positions.resize(files.size() * rest.vertices());
  FirstError errors;
  parallel_for(run, "reading frames", files.size(), 1, [&](std::size_t t, std::size_t) {
    errors.guard(t, [&] {
      const bool is_rest = t == 0 && options.rest.empty();
      const Mesh frame = is_rest ? Mesh{} : read_obj(files[t]);
      if (!is_rest) check_same_mesh(frame, files[t], rest, rest_file);
      std::ranges::copy(is_rest ? rest.positions : frame.positions, sequence.frame(t).begin());
    });
  });
  errors.rethrow();
  return sequence;
}

fs::path rest_beside(const fs::path& pc2) {
  for (const char* extension : {".obj", ".OBJ"}) {
    fs::path rest = pc2;
    rest.replace_extension(extension);
    std::error_code ignored;
    if (fs::is_regular_file(rest, ignored)) return rest;
  }
  throw Error(ErrorCode::bad_file, pc2.string(),
              fmt::format("a PC2 file has no faces, and {} is not beside it; name the OBJ with the faces and the rest "
                          "pose by the option rest (--rest FILE.obj)",
                          fs::path(pc2).replace_extension(".obj").filename().string()));
}

Sequence read_point_cache(const fs::path& file, const ReadOptions& options, const Run& run) {
  const fs::path rest_file = options.rest.empty() ? rest_beside(file) : options.rest;
  const Pc2File cache(file);
  Mesh rest = read_obj(rest_file);
  if (cache.vertices() != rest.vertices()) {
    throw Error(ErrorCode::bad_file, file.string(),
                fmt::format("has {} vertices, but the rest pose {} has {}; name the matching OBJ by the option rest "
                            "(--rest FILE.obj)",
                            cache.vertices(), rest_file.string(), rest.vertices()));
  }
  return {std::move(rest), uniform_timeline(cache.frames(), options), cache.read(run)};
}

Animated read_files(const Inputs& inputs, const ReadOptions& options, const Run& run) {
  switch (inputs.kind) {
    case InputKind::pc2:
      return read_point_cache(inputs.files.front(), options, run);
    case InputKind::gltf:
      return read_glb(inputs.files.front(), options, run);
    case InputKind::obj:
      break;
  }
  return read_obj_list(inputs.files, options, run);
}

}  // namespace

namespace {

Animated in_units(Animated result, const ReadOptions& options, const Run& run) {
  if (auto* sequence = std::get_if<Sequence>(&result)) convert_units(*sequence, options, run);
  if (auto* rig = std::get_if<Rig>(&result)) convert_units(*rig, options);
  return result;
}

/// A rig is baked.
template <class Source>
Sequence read_baked(const Source& source, const ReadOptions& options, const Run& run) {
  Stages stages(run, {2, 1});
  Animated result = read(source, options, stages.next());
  if (const auto* rig = std::get_if<Rig>(&result)) {
    Sequence baked = bake(*rig, stages.next());
    stages.done();
    return baked;
  }
  stages.done();
  return std::get<Sequence>(std::move(result));
}

Rig as_rig(Animated result, const std::string& name) {
  if (auto* rig = std::get_if<Rig>(&result)) return std::move(*rig);
  throw Error(
      ErrorCode::bad_file, name,
      "is not a rig: it has no skin, or morph targets that move; read it as a sequence, or make a rig of it with "
      "marrow decompose");
}

}  // namespace

Animated read(const std::vector<std::string>& inputs, const ReadOptions& options, const Run& run) {
  check_options(options);
  run.check_stop("read");
  return in_units(read_files(resolve_inputs(inputs), options, run), options, run);
}

Animated read(std::span<const std::byte> glb, const ReadOptions& options, const Run& run) {
  check_options(options);
  if (!options.rest.empty()) {
    throw Error(ErrorCode::bad_request, "rest", "a GLB has its own rest pose; leave it out");
  }
  run.check_stop("read");
  return in_units(read_glb(glb, options, run), options, run);
}

Sequence read_sequence(const std::vector<std::string>& inputs, const ReadOptions& options, const Run& run) {
  return read_baked(inputs, options, run);
}

Sequence read_sequence(std::span<const std::byte> glb, const ReadOptions& options, const Run& run) {
  return read_baked(glb, options, run);
}

Rig read_rig(const std::filesystem::path& file, const ReadOptions& options, const Run& run) {
  return as_rig(read({file.string()}, options, run), file.string());
}

Rig read_rig(std::span<const std::byte> glb, const ReadOptions& options, const Run& run) {
  return as_rig(read(glb, options, run), GlbSource(glb).name());
}

}  // namespace marrow
