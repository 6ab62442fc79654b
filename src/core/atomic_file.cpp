#include "core/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "marrow/error.hpp"

namespace marrow {
namespace {

namespace fs = std::filesystem;

/// Linux follows at most 40 links.
constexpr int most_links = 40;

/// Resolves links: the file that a link leads to is written, whether it exists or not, and the link stays.
fs::path followed(const fs::path& name) {
  fs::path file = name;
  std::error_code error;
  for (int links = 0; fs::is_symlink(file, error); ++links) {
    if (links == most_links)
      throw Error(ErrorCode::bad_file, name.string(), "is a link in a cycle, or in a chain of more than 40");
    const fs::path next = fs::read_symlink(file, error);
    if (error) throw Error(ErrorCode::bad_file, file.string(), "cannot be followed: " + error.message());
    file = file.parent_path() / next;  // `next` itself if it is absolute
  }
  return file;
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& target) : target_(followed(target)) {
  std::error_code ignored;
  const fs::file_status status = fs::status(target_, ignored);
  if (fs::is_directory(status)) {
    throw Error(ErrorCode::bad_file, target_.string(), "is a folder; give a file name to write to");
  }
  // Renaming would replace the device or pipe by a file.
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(ErrorCode::bad_file, target_.string(),
                "is not an ordinary file but a device, pipe or socket; give a file name to write to");
  }
  // Not mkstemp: it makes a private file, and reading the process's umask to undo that is not safe with threads. O_EXCL
  // refuses existing files, so the name may be guessable.
  int descriptor = -1;
  for (int attempt = 0; descriptor < 0; ++attempt) {
    temporary_ = target_;
    temporary_ += fmt::format(".tmp-{}", attempt);
    descriptor = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) fail("cannot be created; check that the folder exists and is writable");
  }
  file_ = fdopen(descriptor, "wb");
  if (file_ == nullptr) {
    close(descriptor);
    unlink(temporary_.c_str());
    fail("cannot be opened");
  }
}

AtomicFile::~AtomicFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  if (bytes != 0 && std::fwrite(data, 1, bytes, file_) != bytes) fail("cannot be written");
}

void AtomicFile::commit() {
  const bool complete = std::ferror(file_) == 0 && std::fflush(file_) == 0;
  if (!complete) fail("cannot be written");
  const int closed = std::fclose(std::exchange(file_, nullptr));
  if (closed != 0) fail("cannot be written");
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (error) throw Error(ErrorCode::bad_file, target_.string(), "cannot be replaced: " + error.message());
  temporary_.clear();
}

void AtomicFile::fail(const char* what) const {
  throw Error(ErrorCode::bad_file, target_.string(), fmt::format("{} ({})", what, std::strerror(errno)));
}

}  // namespace marrow
