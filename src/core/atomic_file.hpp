#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string_view>

#include "core/temporary.hpp"

namespace marrow {

/// The file that writing to `name` replaces or creates (links are followed). Throws Error{bad_file} if no file can be
/// written there: the name is that of a folder, device or pipe, of a read-only file, or too long, or the folder is
/// missing or not writable.
std::filesystem::path writable_target(const std::filesystem::path& name);

/// A file that appears only when complete. It is written under a temporary name beside the target; commit() renames it.
/// Destroyed without commit(), it removes the temporary file. If the target is a link, the file that it leads to is
/// replaced. A replaced file keeps its mode, and its owner and group if the system permits it.
class AtomicFile {
 public:
  /// Throws Error{bad_file} as writable_target() does.
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Throws Error{bad_file} if the disk is full or the write fails otherwise.
  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// For libraries that write themselves. commit() checks for their errors.
  std::FILE* handle() { return file_; }
  /// What was written so far: bytes [offset, offset + out.size()), all of which must be there.
  void read_back(std::uint64_t offset, std::span<std::byte> out);
  /// Flushes, closes and renames.
  void commit();

 private:
  void keep_owner_and_mode();
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path target_;
  Temporary temporary_;
  std::FILE* file_ = nullptr;
};

}  // namespace marrow
