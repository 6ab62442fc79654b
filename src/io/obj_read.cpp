#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>
#include <vector>

#include "io/input_file.hpp"
#include "io/obj.hpp"
#include "marrow/error.hpp"
#include "marrow/io.hpp"
#include "marrow/sequence.hpp"

namespace marrow {
namespace {

// A corner takes at least two bytes ("1 "), so that below this size every count fits into 32 bits.
constexpr std::size_t largest_text = std::size_t(2) * std::numeric_limits<std::uint32_t>::max();

void check_size(std::size_t bytes, const std::string& name) {
  if (bytes > largest_text) {
    throw Error(ErrorCode::bad_file, name,
                fmt::format("has {} bytes; OBJ files are read up to {}. Use PC2 for large data", bytes, largest_text));
  }
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool is_line_end(char c) {
  return c == '\n' || c == '\r';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Parses in one pass. Every function leaves the cursor behind what it consumed.
class ObjParser {
 public:
  ObjParser(std::string_view text, const std::string& name)
      : cursor_(text.data()), end_(text.data() + text.size()), name_(name) {
    // Triangle meshes take at least 70 bytes per vertex, with its two faces.
    mesh_.positions.reserve(text.size() / 96);
    mesh_.face_vertices.reserve(text.size() / 24);
    mesh_.face_offsets.reserve(text.size() / 72);
  }

  Mesh parse() {
    while (cursor_ != end_) {
      skip_blanks();
      statement();
      skip_line();
    }
    check_reference(vertex_, mesh_.positions.size(), "vertex");
    check_reference(uv_, mesh_.uvs.size(), "texture coordinate");
    check_reference(normal_, mesh_.normals.size(), "normal");
    if (mesh_.positions.empty()) {
      throw Error(ErrorCode::bad_file, name_, "has no vertices (lines \"v x y z\"); is it an OBJ file?");
    }
    drop_incomplete(mesh_.corner_uvs, mesh_.uvs);
    drop_incomplete(mesh_.corner_normals, mesh_.normals);
    return std::move(mesh_);
  }

 private:
  /// The largest index so far that refers to an element further on.
  struct Ahead {
    std::uint64_t index = 0;
    std::size_t line = 0;
  };

  void statement() {
    const char* word = cursor_;
    while (!word_ends(cursor_)) ++cursor_;
    const std::string_view keyword(word, std::size_t(cursor_ - word));
    if (keyword == "v") {
      mesh_.positions.push_back(three_numbers());
    } else if (keyword == "f") {
      face();
    } else if (keyword == "vn") {
      mesh_.normals.push_back(three_numbers());
    } else if (keyword == "vt") {
      const float u = number();
      skip_blanks();
      mesh_.uvs.push_back({u, line_ends() ? 0 : number()});
    }
  }

  Vec3 three_numbers() {
    const float x = number(), y = number();
    return {x, y, number()};
  }

  void face() {
    const std::size_t first = mesh_.face_vertices.size();
    bool has_uv = false, has_normal = false;
    for (skip_blanks(); !line_ends(); skip_blanks()) {
      const bool is_first = mesh_.face_vertices.size() == first;
      mesh_.face_vertices.push_back(index(mesh_.positions.size(), vertex_));
      const bool uv = slash() && starts_index();
      if (uv) mesh_.corner_uvs.push_back(index(mesh_.uvs.size(), uv_));
      const bool normal = slash() && starts_index();
      if (normal) mesh_.corner_normals.push_back(index(mesh_.normals.size(), normal_));
      if (!word_ends(cursor_)) fail("a corner of a face must be v, v/vt, v//vn or v/vt/vn");
      if (is_first) {
        has_uv = uv;
        has_normal = normal;
      }
      if (uv != has_uv || normal != has_normal) {
        fail("only some corners of this face have a texture coordinate or a normal: give it to all or to none");
      }
    }
    const std::size_t corners = mesh_.face_vertices.size() - first;
    if (corners < 3) fail(fmt::format("a face has {} corners; it needs at least 3", corners));
    if (mesh_.face_offsets.empty()) mesh_.face_offsets.push_back(0);
    mesh_.face_offsets.push_back(std::uint32_t(mesh_.face_vertices.size()));
  }

  bool slash() {
    if (cursor_ == end_ || *cursor_ != '/') return false;
    ++cursor_;
    return true;
  }

  bool starts_index() const { return cursor_ != end_ && (is_digit(*cursor_) || *cursor_ == '-'); }

  /// Converts an index (from 1, or negative: back from the newest element) to one from 0. `count`: elements so far.
  std::uint32_t index(std::size_t count, Ahead& ahead) {
    const bool relative = cursor_ != end_ && *cursor_ == '-';
    if (relative) ++cursor_;
    if (cursor_ == end_ || !is_digit(*cursor_)) fail("an index of a face is not a whole number");
    std::uint64_t value = 0;
    for (; cursor_ != end_ && is_digit(*cursor_); ++cursor_) {
      // Beyond 32 bits it is out of range anyway.
      if (value <= std::numeric_limits<std::uint32_t>::max()) value = 10 * value + unsigned(*cursor_ - '0');
    }
    if (value == 0) fail("an index is 0; they start at 1");
    if (relative) {
      if (value > count) fail(fmt::format("index -{} reaches back beyond the first of {} elements", value, count));
      return std::uint32_t(count - value);
    }
    if (value > count && value > ahead.index) ahead = {value, line_};
    return std::uint32_t(value - 1);
  }

  float number() {
    skip_blanks();
    // from_chars does not accept a plus sign.
    const bool plus = end_ - cursor_ > 1 && *cursor_ == '+' && cursor_[1] != '-';
    float value = 0;
    const auto [next, status] = fast_float::from_chars(cursor_ + (plus ? 1 : 0), end_, value);
    // On underflow the result is 0, which is accepted; on overflow infinity, which is not.
    if (status == std::errc::invalid_argument || !std::isfinite(value) || !word_ends(next)) fail_number();
    cursor_ = next;
    return value;
  }

  void check_reference(const Ahead& ahead, std::size_t count, const char* what) {
    if (ahead.index <= count) return;
    line_ = ahead.line;
    fail(fmt::format("a face uses {} {}, but the file has {}", what, ahead.index, count));
  }

  void drop_incomplete(std::vector<std::uint32_t>& corners, auto& values) {
    // Within a face all corners have the attribute or none: a full list means that every face has it.
    if (!corners.empty() && corners.size() == mesh_.face_vertices.size()) return;
    corners = {};
    values = {};
  }

  bool line_ends() const { return cursor_ == end_ || is_line_end(*cursor_) || *cursor_ == '#'; }

  bool word_ends(const char* p) const {
    return p == end_ || is_blank(*p) || is_line_end(*p) || *p == '#' || *p == '\\';
  }

  void skip_blanks() {
    for (; cursor_ != end_; ++cursor_) {
      while (*cursor_ == '\\' && skip_continuation()) {
        if (cursor_ == end_) return;
      }
      if (!is_blank(*cursor_)) return;
    }
  }

  /// A backslash at the end of a line continues it.
  bool skip_continuation() {
    const char* next = cursor_ + 1;
    if (next != end_ && !is_line_end(*next)) return false;
    cursor_ = next;
    if (cursor_ != end_) skip_line_end();
    return true;
  }

  void skip_line_end() {
    const bool two = *cursor_ == '\r' && end_ - cursor_ > 1 && cursor_[1] == '\n';
    cursor_ += two ? 2 : 1;
    ++line_;
  }

  void skip_line() {
    // In comments a backslash is literal: a path at the end must not continue the line.
    bool comment = false;
    while (cursor_ != end_) {
      if (is_line_end(*cursor_)) return skip_line_end();
      comment = comment || *cursor_ == '#';
      if (comment || *cursor_ != '\\' || !skip_continuation()) ++cursor_;
    }
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorCode::bad_file, fmt::format("{}:{}", name_, line_), message);
  }

  [[noreturn]] void fail_number() const {
    if (line_ends()) fail("a number is missing: positions and normals need 3, texture coordinates 1");
    std::string word(cursor_, std::find_if(cursor_, cursor_ + std::min<std::ptrdiff_t>(end_ - cursor_, 40),
                                           [&](const char& c) { return word_ends(&c); }));
    std::ranges::replace_if(
        word, [](char c) { return c < ' ' || c > '~'; }, '?');
    fail(fmt::format("\"{}\" is not a finite number", word));
  }

  const char* cursor_;
  const char* end_;
  const std::string& name_;
  std::size_t line_ = 1;
  Ahead vertex_, uv_, normal_;
  Mesh mesh_;
};

}  // namespace

Mesh parse_obj(std::string_view text, const std::string& name) {
  check_size(text.size(), name);
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return ObjParser(text, name).parse();
}

Mesh read_obj(const std::filesystem::path& file) {
  const InputFile input(file);
  check_size(input.size(), input.name());
  std::vector<char, UninitializedAllocator<char>> text(input.size());
  input.read(0, text.data(), text.size());
  return parse_obj({text.data(), text.size()}, input.name());
}

}  // namespace marrow
