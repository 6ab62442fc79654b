// GLB container, glTF 2.0 section 4: header, JSON chunk, BIN chunk. Lengths are 32-bit, chunks 4-byte aligned.
#include "io/glb_write_stream.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "io/gltf_rules.hpp"
#include "marrow/error.hpp"

namespace marrow {
namespace {

static_assert(std::endian::native == std::endian::little, "glTF files are little-endian");

constexpr std::size_t block_bytes = std::size_t(1) << 16;
constexpr std::uint64_t header_bytes = 12, chunk_header_bytes = 8;

std::uint64_t padding(std::uint64_t bytes) {
  return (4 - bytes % 4) % 4;
}

}  // namespace

ByteStream::ByteStream(GlbOutput& output, const Run& run, std::string_view stage, std::uint64_t total_bytes)
    : output_(output), run_(run), stage_(stage), total_bytes_(total_bytes) {
  buffer_.reserve(block_bytes);
}

void ByteStream::put(std::span<const float> values) {
  for (const float v : values) {
    if (std::isfinite(v)) continue;
    throw Error(ErrorCode::bad_input, "write_glb",
                fmt::format("{}: a value is not finite, or larger than a 32-bit float can be", subject_));
  }
  put_bytes(values.data(), values.size_bytes());
}

void ByteStream::put_bytes(const void* data, std::size_t bytes) {
  const char* begin = static_cast<const char*>(data);
  while (bytes > 0) {
    const std::size_t part = std::min(bytes, block_bytes - buffer_.size());
    buffer_.insert(buffer_.end(), begin, begin + part);
    begin += part;
    bytes -= part;
    if (buffer_.size() == block_bytes) flush();
  }
}

void ByteStream::pad(std::uint64_t bytes, char with) {
  for (std::uint64_t e = 0; e < bytes; ++e) put_bytes(&with, 1);
}

void ByteStream::flush() {
  run_.check_stop("write_glb");
  output_.write(buffer_.data(), buffer_.size());
  written_ += buffer_.size();
  buffer_.clear();
  run_.report({.stage = stage_, .fraction = double(written_) / double(total_bytes_)});
}

std::size_t GlbFile::add_view(View view) {
  GlbFile::Json json = {{"buffer", 0}, {"byteOffset", bytes_}, {"byteLength", view.bytes}};
  if (view.target != 0) json["target"] = view.target;
  view_list_.push_back(std::move(json));
  bytes_ += view.bytes + padding(view.bytes);
  views_.push_back(std::move(view));
  return views_.size() - 1;
}

std::size_t GlbFile::add_accessor(const Accessor& accessor) {
  Json json = {{"bufferView", accessor.view}};
  if (accessor.offset != 0) json["byteOffset"] = accessor.offset;
  json["componentType"] = int(accessor.component);
  if (accessor.normalized) json["normalized"] = true;
  json["count"] = accessor.count;
  json["type"] = accessor.type;
  if (!accessor.limits.is_null()) json.update(accessor.limits);
  accessor_list_.push_back(std::move(json));
  return accessor_list_.size() - 1;
}

std::size_t GlbFile::add(View view, Accessor accessor) {
  accessor.view = add_view(std::move(view));
  return add_accessor(accessor);
}

void GlbFile::write(Json document, GlbOutput& output, const Run& run) {
  document["buffers"] = Json::array({{{"byteLength", bytes_}}});
  document["bufferViews"] = std::move(view_list_);
  document["accessors"] = std::move(accessor_list_);
  // Names may hold any bytes, but JSON must be UTF-8.
  const std::string json = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  document = nullptr;
  const std::uint64_t json_bytes = json.size() + padding(json.size());
  const std::uint64_t total = header_bytes + 2 * chunk_header_bytes + json_bytes + bytes_;
  if (total > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(
        ErrorCode::bad_request, output.name(),
        fmt::format("the file would have {:.1f} GiB, but a GLB can have only 4; write fewer frames or vertices, "
                    "or use fewer bones per vertex",
                    double(total) * 0x1p-30));
  }
  output.begin(total);
  ByteStream stream(output, run, "writing", total);
  const auto u32 = [](auto v) { return std::uint32_t(v); };
  stream.put("glTF");
  stream.put(std::array{u32(2), u32(total), u32(json_bytes)});
  stream.put("JSON");
  stream.put(json);
  stream.pad(padding(json.size()), ' ');
  stream.put(std::array{u32(bytes_)});
  stream.put(std::string_view("BIN\0", 4));
  for (const View& view : views_) {
    stream.set_subject(view.subject);
    view.write(stream);
    stream.pad(padding(view.bytes), '\0');
  }
  stream.flush();
  const auto binary = [&output, begin = total - bytes_](std::uint64_t offset, std::span<std::byte> bytes) {
    output.read_back(begin + offset, bytes);
  };
  glb::check_rules(Json::parse(json), stream.written() == total, binary, output.name());
  output.commit();
}

}  // namespace marrow
