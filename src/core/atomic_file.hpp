#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace marrow {

/// A file that appears only when complete. It is written under a temporary name beside the target; commit() renames it.
/// Destroyed without commit(), it removes the temporary file. If the target is a link, the file that it leads to is
/// replaced.
class AtomicFile {
 public:
  /// Throws Error{bad_file} if the folder is missing or not writable, or if the target exists and is not an ordinary
  /// file.
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Throws Error{bad_file} if the disk is full or the write fails otherwise.
  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// For libraries that write themselves. commit() checks for their errors.
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
