#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "core/atomic_file.hpp"
#include "core/parallel.hpp"
#include "io/first_error.hpp"
#include "io/obj.hpp"
#include "marrow/error.hpp"
#include "marrow/io.hpp"

namespace marrow {
namespace {

/// Buffers text and writes it in large blocks.
class ObjText {
 public:
  explicit ObjText(AtomicFile& file) : file_(file) {}

  /// `format` is an FMT_COMPILE string. Without a precision, fmt writes the shortest text that reads back to the same
  /// float.
  template <class Format, class... Values>
  void line(const Format& format, const Values&... values) {
    fmt::format_to(fmt::appender(buffer_), format, values...);
    if (buffer_.size() >= block) flush();
  }
  void flush() {
    file_.write(buffer_.data(), buffer_.size());
    buffer_.clear();
  }
  fmt::memory_buffer& buffer() { return buffer_; }

 private:
  static constexpr std::size_t block = std::size_t(1) << 20;

  AtomicFile& file_;
  fmt::memory_buffer buffer_;
};

void append_index(fmt::memory_buffer& buffer, std::string_view before, std::uint32_t index) {
  buffer.append(before);
  const fmt::format_int digits(std::uint64_t(index) + 1);
  buffer.append(digits.data(), digits.data() + digits.size());
}

void append_faces(ObjText& text, const Mesh& mesh, bool uvs, bool normals) {
  for (std::size_t f = 0; f < mesh.faces(); ++f) {
    fmt::memory_buffer& buffer = text.buffer();
    buffer.push_back('f');
    for (std::uint32_t c = mesh.face_offsets[f]; c < mesh.face_offsets[f + 1]; ++c) {
      append_index(buffer, " ", mesh.face_vertices[c]);
      if (uvs) append_index(buffer, "/", mesh.corner_uvs[c]);
      if (normals) append_index(buffer, uvs ? "/" : "//", mesh.corner_normals[c]);
    }
    text.line(FMT_COMPILE("\n"));
  }
}

/// A new folder under a temporary name beside the target; commit() renames it. Destroyed without commit(), it removes
/// the folder.
class AtomicFolder {
 public:
  /// `target` is an absolute path.
  explicit AtomicFolder(std::filesystem::path target)
      : target_(new_folder(std::move(target))), temporary_(target_.parent_path(), Temporary::Kind::folder, 0777) {
    if (temporary_.descriptor() >= 0) return;
    throw Error(ErrorCode::bad_file, target_.string(),
                fmt::format("cannot be created ({}); check that its parent folder exists and is writable",
                            std::generic_category().message(errno)));
  }

  const std::filesystem::path& temporary() const { return temporary_.path(); }
  void commit() { temporary_.rename_to(target_); }

 private:
  static std::filesystem::path new_folder(std::filesystem::path target) {
    std::error_code error;
    if (std::filesystem::exists(target, error) && !std::filesystem::is_empty(target, error)) {
      throw Error(ErrorCode::bad_file, target.string(), "exists and is not an empty folder; choose a new name");
    }
    return target;
  }

  std::filesystem::path target_;
  Temporary temporary_;
};

/// The folder's absolute path without a trailing slash, also for "out/" and ".".
std::filesystem::path without_trailing_slash(const std::filesystem::path& folder) {
  const std::filesystem::path full = std::filesystem::absolute(folder).lexically_normal();
  return full.has_filename() ? full : full.parent_path();
}

}  // namespace

void write_obj(const Mesh& mesh, std::span<const Vec3> positions, bool normals, const std::filesystem::path& file) {
  AtomicFile out(file);
  ObjText text(out);
  const bool with_uvs = !mesh.corner_uvs.empty(), with_normals = normals && !mesh.corner_normals.empty();
  for (const Vec3& p : positions) text.line(FMT_COMPILE("v {} {} {}\n"), p.x, p.y, p.z);
  if (with_uvs) {
    for (const Vec2& p : mesh.uvs) text.line(FMT_COMPILE("vt {} {}\n"), p.x, p.y);
  }
  if (with_normals) {
    for (const Vec3& n : mesh.normals) text.line(FMT_COMPILE("vn {} {} {}\n"), n.x, n.y, n.z);
  }
  append_faces(text, mesh, with_uvs, with_normals);
  text.flush();
  out.commit();
}

void write_obj(const Mesh& mesh, const std::filesystem::path& file) {
  validate(mesh);
  write_obj(mesh, mesh.positions, true, file);
}

void write_obj_sequence(const Sequence& sequence, const std::filesystem::path& folder, const Run& run) {
  validate(sequence);
  const std::filesystem::path target = without_trailing_slash(folder);
  const std::string stem = target.filename().string();
  const std::size_t digits = std::max<std::size_t>(4, std::to_string(sequence.frames()).size());
  AtomicFolder out(target);
  FirstError errors;
  parallel_for(run, "writing frames", sequence.frames(), 1, [&](std::size_t t, std::size_t) {
    errors.guard(t, [&] {
      const std::string name = fmt::format("{}_{:0{}}.obj", stem, t + 1, digits);
      try {
        // The mesh's normals are those of the rest pose, not of this frame.
        write_obj(sequence.mesh, sequence.frame(t), false, out.temporary() / name);
      } catch (const Error& error) {
        throw Error(error.code(), (folder / name).string(), error.message());
      }
    });
  });
  errors.rethrow();
  out.commit();
}

}  // namespace marrow
