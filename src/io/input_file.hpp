#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace marrow {

/// An ordinary file that is open for reading. Its size is known before anything is read, so that what it claims to hold
/// can be checked before memory is taken. It is read, not mapped: a file that shrinks meanwhile gives an Error, not a
/// SIGBUS.
class InputFile {
 public:
  /// Throws Error{bad_file} when the file is missing, cannot be opened or is no ordinary file.
  explicit InputFile(const std::filesystem::path& file);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& name() const { return name_; }
  std::size_t size() const { return size_; }
  /// Bytes [offset, offset + bytes) of the file; from several threads at once, if need be.
  void read(std::size_t offset, void* out, std::size_t bytes) const;

 private:
  std::string name_;
  int descriptor_ = -1;
  std::size_t size_ = 0;
};

}  // namespace marrow
