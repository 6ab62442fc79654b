#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace marrow {

/// A file that appears under its name only when it is complete: it is written beside its target under a temporary
/// name and renamed by commit(). Destroyed without commit(), it leaves nothing behind. Where the target is a link, it
/// stays one, and what it leads to is replaced.
class AtomicFile {
 public:
  /// Throws Error{bad_file} when the folder is missing or cannot be written, or the target is there and no file.
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Throws Error{bad_file} when the disk is full or the write fails otherwise.
  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// For libraries that write by themselves; check with commit().
  std::FILE* handle() { return file_; }
  /// Flushes, closes and renames.
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  std::FILE* file_ = nullptr;
};

}  // namespace marrow
