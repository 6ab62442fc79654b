#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/atomic_file.hpp"
#include "marrow/run.hpp"

namespace marrow {

/// Buffers numbers into blocks of a file. Checks for a stop at every block.
class ByteStream {
 public:
  ByteStream(AtomicFile& file, const Run& run, std::string_view stage, std::uint64_t total_bytes);

  /// Names the data in error messages.
  void set_subject(std::string subject) { subject_ = std::move(subject); }
  /// Throws Error{bad_input} if a value is not finite: glTF forbids it.
  void put(std::span<const float> values);
  void put(std::span<const std::uint8_t> values) { put_bytes(values.data(), values.size_bytes()); }
  void put(std::span<const std::uint16_t> values) { put_bytes(values.data(), values.size_bytes()); }
  void put(std::span<const std::uint32_t> values) { put_bytes(values.data(), values.size_bytes()); }
  void put(std::string_view text) { put_bytes(text.data(), text.size()); }
  void pad(std::uint64_t bytes, char with);
  void flush();
  std::uint64_t written() const { return written_; }

 private:
  void put_bytes(const void* data, std::size_t bytes);

  AtomicFile& file_;
  const Run& run_;
  std::string_view stage_;
  std::uint64_t total_bytes_;
  std::uint64_t written_ = 0;
  std::string subject_;
  std::vector<char> buffer_;
};

enum class ComponentType { u8 = 5121, u16 = 5123, u32 = 5125, f32 = 5126 };

/// A GLB whose binary part is described first and written afterwards, view by view.
class GlbFile {
 public:
  using Json = nlohmann::ordered_json;

  struct View {
    std::string subject;  ///< name in error messages
    std::uint64_t bytes = 0;
    int target = 0;                          ///< 34962 vertices, 34963 indices, 0 neither
    std::function<void(ByteStream&)> write;  ///< writes exactly `bytes` bytes
  };
  struct Accessor {
    std::size_t view = 0;
    std::uint64_t offset = 0;
    ComponentType component = ComponentType::f32;
    const char* type = "SCALAR";
    std::uint64_t count = 0;
    Json limits = nullptr;    ///< {"min": [...], "max": [...]} or nothing
    bool normalized = false;  ///< integers are divided by their range
  };

  /// Both return the index in the file's list.
  std::size_t add_view(View view);
  std::size_t add_accessor(const Accessor& accessor);
  /// Adds a view and one accessor that covers it.
  std::size_t add(View view, Accessor accessor);

  /// `document`: everything except buffers, bufferViews and accessors. Throws Error{bad_request}, before it creates the
  /// file, if the GLB would exceed 4 GiB.
  void write(Json document, const std::filesystem::path& file, const Run& run);

 private:
  std::vector<View> views_;
  Json view_list_ = Json::array();
  Json accessor_list_ = Json::array();
  std::uint64_t bytes_ = 0;
};

}  // namespace marrow
