#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace marrow {

/// An ordinary file, open for reading. The size is known first, so that stated counts can be checked before memory is
/// allocated. The file is read, not mapped: if it shrinks meanwhile, the result is an Error, not a SIGBUS.
class InputFile {
 public:
  /// Throws Error{bad_file} if the file is missing, cannot be opened or is not an ordinary file.
  explicit InputFile(const std::filesystem::path& file);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& name() const { return name_; }
  std::size_t size() const { return size_; }
  /// Reads bytes [offset, offset + bytes). Safe to call from several threads.
  void read(std::size_t offset, void* out, std::size_t bytes) const;

 private:
  std::string name_;
  int descriptor_ = -1;
  std::size_t size_ = 0;
};

}  // namespace marrow
