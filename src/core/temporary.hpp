#pragma once

#include <sys/types.h>

#include <filesystem>

namespace marrow {

/// A file or folder under a temporary name, ".marrow-0.tmp" and so on, in the folder of its target. It is locked
/// (flock) as long as its writer lives: what a killed run left is found unlocked and removed by the next writer in that
/// folder. The names are short, so that a target may have a name of 255 bytes.
class Temporary {
 public:
  enum class Kind { file, folder };

  /// Leaves descriptor() at -1 and errno set where nothing can be created in `folder`.
  Temporary(const std::filesystem::path& folder, Kind kind, mode_t mode);
  /// Removes it unless rename_to() moved it away.
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Open for reading and writing (a folder: for reading). It holds the lock.
  int descriptor() const { return descriptor_; }
  /// Gives it its final name; replaces what has that name. Throws Error{bad_file} where that fails.
  void rename_to(const std::filesystem::path& target);

 private:
  bool create(const std::filesystem::path& candidate, Kind kind, mode_t mode);

  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace marrow
