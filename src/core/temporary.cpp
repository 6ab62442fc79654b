#include "core/temporary.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "marrow/error.hpp"

namespace marrow {
namespace {

namespace fs = std::filesystem;

/// Leftovers under the first so many names are found. More are only needed by as many writers at a time.
constexpr int swept_names = 16;

fs::path temporary_name(const fs::path& folder, int number) {
  return folder / fmt::format(".marrow-{}.tmp", number);
}

/// Whether the name still stands for what the descriptor has open: somebody may have removed or replaced it.
bool is_same(const fs::path& name, int descriptor) {
  struct stat named {
  }, opened{};
  return lstat(name.c_str(), &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_dev == opened.st_dev &&
         named.st_ino == opened.st_ino;
}

/// Removes what no living writer holds. Only one who has the lock removes, and only what the lock is on.
bool remove_abandoned(const fs::path& name) {
  const int descriptor = open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return false;
  struct stat status {};
  const bool ours = fstat(descriptor, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
  bool removed = false;
  if (ours && flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_same(name, descriptor)) {
    std::error_code error;
    removed = fs::remove_all(name, error) > 0 && !error;
  }
  close(descriptor);
  return removed;
}

}  // namespace

Temporary::Temporary(const fs::path& folder, Kind kind, mode_t mode) {
  for (int number = 0; descriptor_ < 0 || number < swept_names; ++number) {
    const fs::path candidate = temporary_name(folder, number);
    while (descriptor_ < 0) {
      if (create(candidate, kind, mode)) break;
      if (errno != EEXIST) return;
      if (!remove_abandoned(candidate)) break;
    }
    if (candidate != path_) remove_abandoned(candidate);
  }
}

/// Fails with EEXIST also where another writer took the name between its creation and the lock.
bool Temporary::create(const fs::path& candidate, Kind kind, mode_t mode) {
  int descriptor = -1;
  if (kind == Kind::file) {
    // Not mkstemp: it makes a private file, and reading the process's umask to undo that is not safe with threads.
    // O_EXCL refuses existing files, so the name may be guessable.
    descriptor = open(candidate.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor < 0) return false;
  } else {
    if (mkdir(candidate.c_str(), mode) != 0) return false;
    descriptor = open(candidate.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) return errno = EEXIST, false;
  }
  // File systems without locks: nobody can take it for abandoned there.
  const bool taken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (taken || !is_same(candidate, descriptor)) {
    close(descriptor);
    return errno = EEXIST, false;
  }
  path_ = candidate;
  descriptor_ = descriptor;
  return true;
}

Temporary::~Temporary() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
  if (descriptor_ >= 0) close(descriptor_);
}

void Temporary::rename_to(const fs::path& target) {
  std::error_code error;
  fs::rename(path_, target, error);
  if (error) throw Error(ErrorCode::bad_file, target.string(), "cannot be put in place: " + error.message());
  path_.clear();
}

}  // namespace marrow
