#include "io/pc2.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include "core/atomic_file.hpp"
#include "core/check.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "io/first_error.hpp"
#include "marrow/error.hpp"
#include "marrow/io.hpp"

namespace marrow {
namespace {

static_assert(std::endian::native == std::endian::little, "PC2 files are read and written as they stand in memory");

struct Header {
  std::array<char, 12> magic{'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2', '\0'};
  std::int32_t version = 1;
  std::int32_t points = 0;
  float start = 0;
  float frames_per_sample = 1;
  std::int32_t samples = 0;
};
static_assert(sizeof(Header) == 32 && sizeof(Vec3) == 12);

// Positions per chunk: 768 KiB, so that data is checked while it is in the cache.
constexpr std::size_t grain = std::size_t(1) << 16;

void check_header(const Header& header, const InputFile& file) {
  const auto fail = [&](const std::string& message) { throw Error(ErrorCode::bad_file, file.name(), message); };
  if (header.magic != Header{}.magic) fail("is not a PC2 file: it does not start with \"POINTCACHE2\"");
  if (header.version != 1) fail(fmt::format("is PC2 version {}; only version 1 is known", header.version));
  if (header.points <= 0 || header.samples <= 0) {
    fail(fmt::format("has {} points and {} samples; both must be positive", header.points, header.samples));
  }
  const std::uint64_t positions = std::uint64_t(header.points) * std::uint64_t(header.samples);
  const std::uint64_t bytes = file.size() - sizeof(Header);
  if (bytes / sizeof(Vec3) != positions || bytes % sizeof(Vec3) != 0) {
    fail(
        fmt::format("{} points in {} samples need {} positions of 12 bytes, but {} bytes follow the header; the file "
                    "was cut off or damaged",
                    header.points, header.samples, positions, bytes));
  }
}

}  // namespace

Pc2File::Pc2File(const std::filesystem::path& file) : file_(file) {
  if (file_.size() < sizeof(Header)) {
    throw Error(ErrorCode::bad_file, file_.name(),
                fmt::format("has {} bytes; the header of a PC2 file takes {}", file_.size(), sizeof(Header)));
  }
  Header header;
  file_.read(0, &header, sizeof(header));
  check_header(header, file_);
  vertices_ = std::size_t(header.points);
  frames_ = std::size_t(header.samples);
}

PositionBlock Pc2File::read(const Run& run) const {
  need(run, vertices_ * frames_, sizeof(Vec3),
       fmt::format("{}: {} frames of {} vertices", file_.name(), frames_, vertices_));
  PositionBlock positions;
  positions.resize(vertices_ * frames_);
  FirstError errors;
  parallel_for(run, "reading frames", positions.size(), grain, [&](std::size_t begin, std::size_t end) {
    errors.guard(begin, [&] {
      const std::span<Vec3> chunk(positions.data() + begin, end - begin);
      file_.read(sizeof(Header) + begin * sizeof(Vec3), chunk.data(), chunk.size_bytes());
      const std::size_t bad = first_not_finite(chunk);
      if (bad == chunk.size()) return;
      throw Error(ErrorCode::bad_file, file_.name(),
                  fmt::format("the position of vertex {} in frame {} is not finite (both counted from 0)",
                              (begin + bad) % vertices_, (begin + bad) / vertices_));
    });
  });
  errors.rethrow();
  return positions;
}

void write_pc2(const Sequence& sequence, const std::filesystem::path& file, const Run& run) {
  constexpr const char* where = "write_pc2";
  constexpr auto most = std::size_t(std::numeric_limits<std::int32_t>::max());
  const std::size_t vertices = sequence.vertices(), frames = sequence.frames(), count = sequence.positions.size();
  require(vertices > 0 && frames > 0 && vertices <= most && frames <= most && count == vertices * frames, where, [&] {
    return fmt::format("{} positions for {} frames of {} vertices; there must be one for each, and 1 to {} of both",
                       count, frames, vertices, most);
  });
  AtomicFile out(file);
  Header header;
  header.points = std::int32_t(vertices);
  header.samples = std::int32_t(frames);
  out.write(&header, sizeof(header));
  // Large enough for direct writes, small enough to stay in the cache between check and copy.
  constexpr std::size_t block = 4 * grain;
  for (std::size_t begin = 0; begin < count; begin += block) {
    run.check_stop(where);
    const std::span<const Vec3> part(sequence.positions.data() + begin, std::min(block, count - begin));
    const std::size_t bad = begin + first_not_finite(part);
    require(bad == begin + part.size(), where,
            [&] { return fmt::format("frame {}, vertex {} is not finite", bad / vertices, bad % vertices); });
    out.write(part.data(), part.size_bytes());
    run.report({.stage = "writing frames", .fraction = double(begin + part.size()) / double(count)});
  }
  // The last progress report may have requested a stop.
  run.check_stop(where);
  out.commit();
}

}  // namespace marrow
