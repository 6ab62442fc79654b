#include "core/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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

[[noreturn]] void refuse(const fs::path& target, const char* what, int error) {
  throw Error(ErrorCode::bad_file, target.string(),
              fmt::format("{} ({})", what, std::generic_category().message(error)));
}

constexpr const char* no_folder = "cannot be created; check that the folder exists and is writable";

/// The folder that a file is in, as system calls want it.
fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

void check_existing(const fs::path& target, mode_t mode) {
  if (S_ISDIR(mode)) {
    throw Error(ErrorCode::bad_file, target.string(), "is a folder; give a file name to write to");
  }
  // Renaming would replace the device or pipe by a file.
  if (!S_ISREG(mode)) {
    throw Error(ErrorCode::bad_file, target.string(),
                "is not an ordinary file but a device, pipe or socket; give a file name to write to");
  }
  // Renaming would replace it all the same, and a privileged user is never refused by the system.
  const bool nobody = (mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0;
  if (nobody || faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) {
    throw Error(ErrorCode::bad_file, target.string(),
                "is there already and read-only; give another name, or make it writable (chmod u+w)");
  }
}

/// Of a file that is replaced, or that of any new file.
mode_t mode_of(const fs::path& target) {
  struct stat status {};
  return stat(target.c_str(), &status) == 0 ? status.st_mode & 0777 : 0666;
}

}  // namespace

fs::path writable_target(const fs::path& name) {
  fs::path target = followed(name);
  struct stat status {};
  if (stat(target.c_str(), &status) == 0) {
    check_existing(target, status.st_mode);
  } else if (errno != ENOENT) {
    refuse(target, no_folder, errno);
  }
  if (faccessat(AT_FDCWD, folder_of(target).c_str(), W_OK | X_OK, AT_EACCESS) != 0) refuse(target, no_folder, errno);
  return target;
}

AtomicFile::AtomicFile(const fs::path& target)
    : target_(writable_target(target)), temporary_(folder_of(target_), Temporary::Kind::file, mode_of(target_)) {
  if (temporary_.descriptor() < 0) fail(no_folder);
  keep_owner_and_mode();
  // The temporary's own descriptor keeps the lock until the file has its name.
  const int descriptor = fcntl(temporary_.descriptor(), F_DUPFD_CLOEXEC, 0);
  file_ = descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
  if (file_ != nullptr) return;
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  refuse(target_, "cannot be opened", error);
}

AtomicFile::~AtomicFile() {
  if (file_ != nullptr) std::fclose(file_);
}

/// Only root may give files away; a group that the writer is in can be kept by everybody. What is not permitted, or not
/// known on this file system, stays as it is for new files.
void AtomicFile::keep_owner_and_mode() {
  struct stat old {};
  if (stat(target_.c_str(), &old) != 0) return;
  const int descriptor = temporary_.descriptor();
  if (fchown(descriptor, old.st_uid, old.st_gid) != 0 && fchown(descriptor, uid_t(-1), old.st_gid) != 0) {
    errno = 0;
  }
  // Bits of set-user-ID and the like are not handed on.
  if (fchmod(descriptor, old.st_mode & 0777) != 0) errno = 0;
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  if (bytes != 0 && std::fwrite(data, 1, bytes, file_) != bytes) fail("cannot be written");
}

void AtomicFile::read_back(std::uint64_t offset, std::span<std::byte> out) {
  if (std::fflush(file_) != 0) fail("cannot be written");
  while (!out.empty()) {
    const ssize_t got = pread(temporary_.descriptor(), out.data(), out.size(), off_t(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("cannot be read back");
    offset += std::uint64_t(got);
    out = out.subspan(std::size_t(got));
  }
}

void AtomicFile::commit() {
  const bool complete = std::ferror(file_) == 0 && std::fflush(file_) == 0;
  if (!complete) fail("cannot be written");
  const int closed = std::fclose(std::exchange(file_, nullptr));
  if (closed != 0) fail("cannot be written");
  temporary_.rename_to(target_);
}

void AtomicFile::fail(const char* what) const {
  refuse(target_, what, errno);
}

}  // namespace marrow
