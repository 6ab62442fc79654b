#include "core/memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "marrow/error.hpp"

namespace marrow {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The number in a file of the system; unlimited where there is no file, or a word ("max") in it.
std::uint64_t number_in(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  return in >> number ? number : unlimited;
}

/// Least limit of a control group and those above it. In a container, the group's own path may not be visible; then the
/// root of what is visible counts.
std::uint64_t limit_of_group(const fs::path& root, const std::string& group, const char* file) {
  std::uint64_t least = number_in(root / file);
  fs::path place = root;
  for (const fs::path& part : fs::path(group).relative_path()) {
    place /= part;
    least = std::min(least, number_in(place / file));
  }
  return least;
}

/// Lines of /proc/self/cgroup: "0::/path" for version 2, "4:memory:/path" for version 1.
std::uint64_t limit_of_groups() {
  std::ifstream in("/proc/self/cgroup");
  std::uint64_t least =
      std::min(number_in("/sys/fs/cgroup/memory.max"), number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, limit_of_group("/sys/fs/cgroup", group, "memory.max"));
    if (controllers.find("memory") == std::string::npos) continue;
    least = std::min(least, limit_of_group("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
  }
  return least;
}

std::string readable(double bytes) {
  if (bytes >= 0x1p30) return fmt::format("{:.1f} GiB", bytes * 0x1p-30);
  return fmt::format("{:.1f} MiB", bytes * 0x1p-20);
}

}  // namespace

std::uint64_t available_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  const std::uint64_t machine = pages > 0 && bytes > 0 ? std::uint64_t(pages) * std::uint64_t(bytes) : unlimited;
  return std::min(machine, limit_of_groups());
}

std::uint64_t memory_limit(const Run&) {
  static const std::uint64_t half = available_memory() / 2;
  return half;
}

void need(const Run& run, std::uint64_t count, std::uint64_t bytes, std::string_view what) {
  const std::uint64_t limit = memory_limit(run);
  if (bytes == 0 || count <= limit / bytes) return;
  const double wanted = double(count) * double(bytes);
  throw Error(ErrorCode::bad_request, std::string(what),
              fmt::format("would take {} of memory, but {} are allowed (half of what there is); give a smaller input",
                          readable(wanted), readable(double(limit))));
}

}  // namespace marrow
