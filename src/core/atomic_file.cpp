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

/// As many as Linux follows.
constexpr int most_links = 40;

/// What a name stands for: a link stays one, and the file it leads to, there already or not, is written.
fs::path followed(const fs::path& name) {
  fs::path file = name;
  std::error_code error;
  for (int links = 0; fs::is_symlink(file, error); ++links) {
    if (links == most_links) throw Error(ErrorCode::bad_file, name.string(), "is a link that leads in a circle");
    const fs::path next = fs::read_symlink(file, error);
    if (error) throw Error(ErrorCode::bad_file, file.string(), "cannot be followed: " + error.message());
    file = file.parent_path() / next;  // which is `next` where that is absolute
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
  // The new file would take the place of the device or pipe.
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(ErrorCode::bad_file, target_.string(),
                "is not an ordinary file but a device, pipe or socket; give a file name to write to");
  }
  // mkstemp would make a private file, and to undo that one must ask for the process's mask by setting it: not from
  // several threads. The name need not be hard to guess, since O_EXCL refuses whatever is there already.
  int descriptor = -1;
  for (int attempt = 0; descriptor < 0; ++attempt) {
    temporary_ = target_;
    temporary_ += fmt::format(".tmp-{}", attempt);
    descriptor = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) fail("cannot be created; does the folder exist, and may it be written?");
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
