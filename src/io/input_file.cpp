#include "io/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "marrow/error.hpp"

namespace marrow {
namespace {

std::string system_message(int error) {
  return std::generic_category().message(error);
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& file) : name_(file.string()) {
  // O_NONBLOCK: open() must not wait at a pipe. Ordinary files ignore it.
  descriptor_ = open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) {
    throw Error(ErrorCode::bad_file, name_, fmt::format("cannot be opened ({})", system_message(errno)));
  }
  struct stat status {};
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor_);
    throw Error(ErrorCode::bad_file, name_, "is not an ordinary file");
  }
  size_ = std::size_t(status.st_size);
}

InputFile::~InputFile() {
  close(descriptor_);
}

void InputFile::read(std::size_t offset, void* out, std::size_t bytes) const {
  // Linux reads at most 2^31 - 4096 bytes per call.
  constexpr std::size_t most = std::size_t(1) << 30;
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got =
        pread(descriptor_, static_cast<char*>(out) + done, std::min(most, bytes - done), off_t(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw Error(ErrorCode::bad_file, name_, fmt::format("cannot be read ({})", system_message(errno)));
    }
    if (got == 0) {
      throw Error(ErrorCode::bad_file, name_,
                  fmt::format("ends at byte {} of {}: it became shorter while being read", offset + done, size_));
    }
    done += std::size_t(got);
  }
}

}  // namespace marrow
