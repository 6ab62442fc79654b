#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/atomic_file.hpp"
#include "marrow/run.hpp"

namespace marrow {

/// Where a GLB goes: a file or memory.
class GlbOutput {
 public:
  virtual ~GlbOutput() = default;
  /// For messages.
  virtual std::string name() const = 0;
  /// Called first, with the size of what will be written.
  virtual void begin(std::uint64_t bytes) = 0;
  virtual void write(const void* data, std::size_t bytes) = 0;
  /// What was written from `offset` on.
  virtual void read_back(std::uint64_t offset, std::span<std::byte> bytes) = 0;
  virtual void commit() = 0;
};

class GlbFileOutput : public GlbOutput {
 public:
  explicit GlbFileOutput(std::filesystem::path path) : path_(std::move(path)) {}
  std::string name() const override { return path_.string(); }
  void begin(std::uint64_t) override { file_.emplace(path_); }
  void write(const void* data, std::size_t bytes) override { file_->write(data, bytes); }
  void read_back(std::uint64_t offset, std::span<std::byte> bytes) override { file_->read_back(offset, bytes); }
  void commit() override { file_->commit(); }

 private:
  std::filesystem::path path_;
  std::optional<AtomicFile> file_;
};

class GlbMemoryOutput : public GlbOutput {
 public:
  std::string name() const override { return "to_glb"; }
  void begin(std::uint64_t bytes) override { bytes_.reserve(std::size_t(bytes)); }
  void write(const void* data, std::size_t bytes) override {
    const auto* begin = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), begin, begin + bytes);
  }
  void read_back(std::uint64_t offset, std::span<std::byte> bytes) override {
    std::ranges::copy(std::span(bytes_).subspan(offset, bytes.size()), bytes.begin());
  }
  void commit() override {}
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Buffers numbers into blocks of a file. Checks for a stop at every block.
class ByteStream {
 public:
  ByteStream(GlbOutput& output, const Run& run, std::string_view stage, std::uint64_t total_bytes);

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

  GlbOutput& output_;
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

  /// `document`: everything except buffers, bufferViews and accessors. Throws Error{bad_request}, before the output
  /// begins, if the GLB would exceed 4 GiB.
  void write(Json document, GlbOutput& output, const Run& run);

 private:
  std::vector<View> views_;
  Json view_list_ = Json::array();
  Json accessor_list_ = Json::array();
  std::uint64_t bytes_ = 0;
};

}  // namespace marrow
