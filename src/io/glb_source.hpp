#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace marrow {

/// A glTF file, or the bytes of one in memory.
class GlbSource {
 public:
  GlbSource(std::filesystem::path file) : file_(std::move(file)) {}  // NOLINT(google-explicit-constructor)
  GlbSource(std::span<const std::byte> bytes) : bytes_(bytes) {}     // NOLINT(google-explicit-constructor)

  const std::filesystem::path& file() const { return file_; }
  /// Nothing for a file.
  const std::optional<std::span<const std::byte>>& bytes() const { return bytes_; }
  /// For messages.
  std::string name() const { return bytes_ ? "GLB in memory" : file_.string(); }

 private:
  std::filesystem::path file_;
  std::optional<std::span<const std::byte>> bytes_;
};

}  // namespace marrow
