#include "io/pc2.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "core/random.hpp"
#include "marrow/io.hpp"
#include "support/expect_error.hpp"
#include "support/file_size_limit.hpp"
#include "support/files.hpp"
#include "support/fuzz.hpp"

namespace marrow {
namespace {

namespace fs = std::filesystem;

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string header(std::int32_t points, std::int32_t samples, std::int32_t version = 1) {
  std::string bytes("POINTCACHE2\0", 12);
  append(bytes, version);
  append(bytes, points);
  append(bytes, 0.0f);
  append(bytes, 1.0f);
  append(bytes, samples);
  return bytes;
}

/// Two points in three samples, coordinates 0, 1, 2, ...
std::string small_cache() {
  std::string bytes = header(2, 3);
  for (int k = 0; k < 18; ++k) append(bytes, float(k));
  return bytes;
}

PositionBlock read_positions(const fs::path& file, int threads = 0) {
  return Pc2File(file).read({.threads = threads});
}

Sequence random_sequence(std::size_t vertices, std::size_t frames) {
  Random random(vertices);
  Sequence sequence{{}, Timeline::uniform(frames, 30), {}};
  const auto point = [&] { return Vec3{float(random.normal()), float(random.normal()), float(random.normal())}; };
  for (std::size_t i = 0; i < vertices; ++i) sequence.mesh.positions.push_back(point());
  sequence.positions.resize(vertices * frames);
  for (Vec3& p : sequence.positions) p = point();
  return sequence;
}

TEST(Pc2Read, KnownFile) {
  const auto file = testing::output_folder() / "a.pc2";
  testing::write_bytes(file, small_cache());
  const Pc2File cache(file);
  EXPECT_EQ(cache.vertices(), 2u);
  EXPECT_EQ(cache.frames(), 3u);
  const PositionBlock positions = cache.read({});
  ASSERT_EQ(positions.size(), 6u);
  EXPECT_EQ(positions[0], (Vec3{0, 1, 2}));
  EXPECT_EQ(positions[3], (Vec3{9, 10, 11}));
  EXPECT_EQ(positions[5], (Vec3{15, 16, 17}));
}

TEST(Pc2Read, RefusesBadHeaders) {
  const auto file = testing::output_folder() / "a.pc2";
  const auto expect_refused = [&](const std::string& bytes, const std::string& part) {
    SCOPED_TRACE(part);
    testing::write_bytes(file, bytes);
    testing::expect_error(ErrorCode::bad_file, {"a.pc2", part}, [&] { read_positions(file); });
  };
  const std::string good = small_cache(), data = good.substr(32);
  expect_refused(good.substr(0, 31), "31 bytes");
  expect_refused("POINTCACHE3" + good.substr(11), "POINTCACHE2");
  expect_refused(header(2, 3, 2) + data, "version 2");
  expect_refused(header(0, 3), "0 points");
  expect_refused(header(2, 0), "0 samples");
  expect_refused(header(-2, 3) + data, "-2 points");
  expect_refused(header(-2, -3) + data, "-3 samples");
  expect_refused(good.substr(0, good.size() - 1), "71 bytes follow");
  expect_refused(good + "x", "73 bytes follow");
  expect_refused(good + std::string(12, '\0'), "84 bytes follow");
  // 2^31 - 1 of each: 12 bytes times that does not even fit into 64 bits.
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  expect_refused(header(most, most) + data, "72 bytes follow");
}

TEST(Pc2Read, NamesTheFirstPositionThatIsNotFinite) {
  const auto file = testing::output_folder() / "a.pc2";
  const std::size_t vertices = 1000, frames = 300;
  Sequence sequence = random_sequence(vertices, frames);
  write_pc2(sequence, file);
  std::string bytes = testing::read_bytes(file);
  const auto plant = [&](std::size_t frame, std::size_t vertex, float value) {
    std::memcpy(bytes.data() + 32 + 12 * (frame * vertices + vertex) + 4, &value, 4);
  };
  plant(7, 999, std::numeric_limits<float>::quiet_NaN());
  plant(150, 3, std::numeric_limits<float>::infinity());
  plant(299, 999, -std::numeric_limits<float>::infinity());
  testing::write_bytes(file, bytes);
  for (const int threads : {1, 2, 7}) {
    testing::expect_error(ErrorCode::bad_file, {"a.pc2", "vertex 999 in frame 7 "},
                          [&] { read_positions(file, threads); });
  }
}

TEST(Pc2Read, SurvivesDamage) {
  const auto file = testing::output_folder() / "a.pc2";
  const auto read = [&](const std::string& bytes) {
    testing::replace_file(file, bytes);
    const Pc2File cache(file);
    Sequence sequence{{}, Timeline::uniform(cache.frames(), 30), cache.read({.threads = 1})};
    sequence.mesh.positions.resize(cache.vertices());
    return sequence;
  };
  const auto cut = testing::try_truncations(small_cache(), read);
  EXPECT_EQ(cut.read, 0u);
  const auto flipped = testing::try_flips(small_cache(), read);
  EXPECT_GT(flipped.read, 100u);
  EXPECT_GT(flipped.refused, 100u);
}

TEST(Pc2Read, StopEndsIt) {
  const auto file = testing::output_folder() / "a.pc2";
  testing::write_bytes(file, small_cache());
  std::stop_source source;
  source.request_stop();
  testing::expect_error(ErrorCode::stopped, {}, [&] { Pc2File(file).read({.stop = source.get_token()}); });
}

TEST(Pc2Write, KnownBytes) {
  const auto file = testing::output_folder() / "a.pc2";
  Sequence sequence{{}, Timeline::uniform(3, 24), {}};
  sequence.mesh.positions.resize(2);
  for (int k = 0; k < 6; ++k) {
    const auto first = float(3 * k);
    sequence.positions.push_back({first, first + 1, first + 2});
  }
  write_pc2(sequence, file);
  EXPECT_EQ(testing::read_bytes(file), small_cache());
}

TEST(Pc2Write, ReadsBackForAnyThreadCount) {
  const auto file = testing::output_folder() / "a.pc2";
  const Sequence sequence = random_sequence(1234, 250);  // several chunks, the last one short
  write_pc2(sequence, file);
  for (const int threads : {1, 2, 7}) EXPECT_TRUE(read_positions(file, threads) == sequence.positions);
}

TEST(Pc2Write, RefusesWhatItCannotHold) {
  const auto folder = testing::output_folder();
  Sequence none;
  testing::expect_error(ErrorCode::bad_input, {"0 frames"}, [&] { write_pc2(none, folder / "a.pc2"); });
  Sequence odd = random_sequence(5, 2);
  odd.positions.pop_back();
  testing::expect_error(ErrorCode::bad_input, {"9 positions"}, [&] { write_pc2(odd, folder / "a.pc2"); });
  Sequence infinite = random_sequence(1000, 400);
  infinite.frame(390)[7].y = std::numeric_limits<float>::infinity();
  testing::expect_error(ErrorCode::bad_input, {"frame 390, vertex 7 "}, [&] { write_pc2(infinite, folder / "a.pc2"); });
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST(Pc2Write, FullDiskOrStopKeepsTheOldFile) {
  const auto folder = testing::output_folder();
  testing::write_bytes(folder / "a.pc2", "old");
  const Sequence small = random_sequence(10, 10), large = random_sequence(5000, 300);
  for (const Sequence* sequence : {&small, &large}) {
    const testing::FileSizeLimit full_disk(500);
    testing::expect_error(ErrorCode::bad_file, {"a.pc2", "cannot be written"},
                          [&] { write_pc2(*sequence, folder / "a.pc2"); });
  }
  std::stop_source source;
  int reports = 0;
  const marrow::Run run{.stop = source.get_token(), .progress = [&](const Progress&) {
                          ++reports;
                          source.request_stop();
                        }};
  testing::expect_error(ErrorCode::stopped, {}, [&] { write_pc2(large, folder / "a.pc2", run); });
  EXPECT_EQ(reports, 1);
  EXPECT_EQ(testing::read_bytes(folder / "a.pc2"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

}  // namespace
}  // namespace marrow
