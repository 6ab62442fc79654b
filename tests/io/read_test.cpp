#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "marrow/io.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/fuzz.hpp"

namespace marrow {
namespace {

namespace fs = std::filesystem;

const std::string faces = "f 1 2 3\nf 1 3 4\n";

/// A square that moves along z.
std::string square_at(int z) {
  return fmt::format("v 0 0 {0}\nv 1 0 {0}\nv 1 1 {0}\nv 0 1 {0}\n", z);
}

class ReadTest : public ::testing::Test {
 protected:
  void make(const std::string& name, const std::string& bytes) const { testing::write_bytes(folder_ / name, bytes); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void make_frames(int count) const {
    for (int t = 0; t < count; ++t) make(fmt::format("frame_{}.obj", t), square_at(t) + faces);
  }
  /// NAME.pc2 of two frames.
  void make_cache(const std::string& name) const {
    Sequence sequence{{}, Timeline::uniform(2, 30), {}};
    sequence.mesh.positions.resize(4);
    for (std::size_t k = 0; k < 8; ++k) sequence.positions.push_back({float(k), 2, 3});
    write_pc2(sequence, folder_ / name);
  }
  void expect_refused(const std::vector<std::string>& inputs, const ReadOptions& options,
                      std::initializer_list<std::string> parts) const {
    for (const int threads : {1, 2, 7}) {
      testing::expect_error(ErrorCode::bad_file, parts, [&] { read(inputs, options, {.threads = threads}); });
    }
  }

  fs::path folder_ = testing::output_folder();
};

TEST_F(ReadTest, OneObjIsASequenceOfOneFrame) {
  make("a.obj", square_at(5) + faces);
  const Sequence sequence = read_sequence({path("a.obj")});
  validate(sequence);
  EXPECT_EQ(sequence.frames(), 1u);
  EXPECT_TRUE(sequence.mesh == read_obj(path("a.obj")));
  EXPECT_TRUE(std::ranges::equal(sequence.frame(0), sequence.mesh.positions));
}

TEST_F(ReadTest, FolderOfObjForAnyThreadCount) {
  make_frames(25);
  for (const int threads : {1, 2, 7}) {
    const Sequence sequence = read_sequence({folder_.string()}, {.fps = 25}, {.threads = threads});
    validate(sequence);
    ASSERT_EQ(sequence.frames(), 25u);
    EXPECT_EQ(sequence.mesh.faces(), 2u);
    EXPECT_EQ(sequence.mesh.positions[0].z, 0) << "the first frame is the rest pose";
    for (std::size_t t = 0; t < 25; ++t) EXPECT_EQ(sequence.frame(t)[2], (Vec3{1, 1, float(t)}));
    EXPECT_EQ(sequence.timeline, Timeline::uniform(25, 25));
  }
  EXPECT_EQ(read_sequence({folder_.string()}).timeline, Timeline::uniform(25, 30));
}

TEST_F(ReadTest, RestOptionForObjFrames) {
  make("rest.obj", square_at(-7) + faces);
  make("frame_1.obj", square_at(1));  // frames need no faces of their own
  make("frame_2.obj", square_at(2) + faces);
  const Sequence sequence = read_sequence({path("frame_*.obj")}, {.rest = path("rest.obj")});
  EXPECT_EQ(sequence.frames(), 2u);
  EXPECT_EQ(sequence.mesh.positions[0].z, -7);
  EXPECT_EQ(sequence.mesh.faces(), 2u);
  EXPECT_EQ(sequence.frame(0)[0].z, 1);
}

TEST_F(ReadTest, RefusesFramesThatDoNotFit) {
  make_frames(6);
  const std::vector<std::string> inputs{path("frame_*.obj")};
  make("frame_3.obj", square_at(3) + "v 5 5 5\n" + faces);
  make("frame_5.obj", square_at(5) + "v 0 0 x\n");
  expect_refused(inputs, {}, {"frame_3.obj", "5 vertices", "frame_0.obj has 4"});
  make("frame_3.obj", "v 0 0 0\n");
  expect_refused(inputs, {}, {"frame_3.obj", "1 vertices", "frame_0.obj has 4"});
  make("frame_3.obj", square_at(3) + "f 1 2 3\nf 1 4 3\n");
  expect_refused(inputs, {}, {"frame_3.obj", "face 2", "1 4 3", "1 3 4", "frame_0.obj"});
  make("frame_3.obj", square_at(3) + "f 1 2 3 4\n");
  expect_refused(inputs, {}, {"frame_3.obj", "face 1", "1 2 3 4", "1 2 3"});
  make("frame_3.obj", square_at(3) + "f 1 2 3\n");
  expect_refused(inputs, {}, {"frame_3.obj", "1 faces", "has 2"});
  make("frame_3.obj", square_at(3) + faces);
  expect_refused(inputs, {}, {"frame_5.obj:5", "x"});
  expect_refused(inputs, {.rest = path("none.obj")}, {"none.obj"});
}

TEST_F(ReadTest, PointCacheTakesItsRestPose) {
  make_cache("a.pc2");
  expect_refused({path("a.pc2")}, {}, {"a.pc2", "a.obj is not beside it", "--rest"});
  make("a.obj", square_at(-1) + faces);
  make("b.obj", square_at(-2) + faces);
  const Sequence beside = read_sequence({path("a.pc2")}, {.fps = 10});
  validate(beside);
  EXPECT_EQ(beside.frames(), 2u);
  EXPECT_EQ(beside.mesh.positions[0].z, -1);
  EXPECT_EQ(beside.frame(1)[1], (Vec3{5, 2, 3}));
  EXPECT_EQ(beside.timeline, Timeline::uniform(2, 10));
  EXPECT_EQ(read_sequence({path("a.pc2")}, {.rest = path("b.obj")}).mesh.positions[0].z, -2);
}

TEST_F(ReadTest, PointCacheThatDoesNotFitItsRestPose) {
  make_cache("a.pc2");
  make("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\n");
  expect_refused({path("a.pc2")}, {}, {"a.pc2", "has 4 vertices", "a.obj has 3"});
}

TEST_F(ReadTest, ConvertsAxesAndUnits) {
  make("a.obj", "v 1 2 3\n");
  const Sequence sequence = read_sequence({path("a.obj")}, {.up = 'z', .unit = 2});
  EXPECT_EQ(sequence.mesh.positions[0], (Vec3{2, 6, -4}));
  EXPECT_EQ(sequence.positions[0], (Vec3{2, 6, -4}));
}

TEST_F(ReadTest, OptionsAndStopComeBeforeFiles) {
  const std::vector<std::string> missing{path("missing.obj")};
  testing::expect_error(ErrorCode::bad_request, {"up"}, [&] { read(missing, {.up = 'q'}); });
  std::stop_source source;
  source.request_stop();
  testing::expect_error(ErrorCode::stopped, {}, [&] { read(missing, {}, {.stop = source.get_token()}); });
}

TEST_F(ReadTest, StopBetweenFrames) {
  make_frames(40);
  std::stop_source source;
  const marrow::Run run{
      .stop = source.get_token(), .progress = [&](const Progress&) { source.request_stop(); }, .threads = 2};
  testing::expect_error(ErrorCode::stopped, {}, [&] { read({folder_.string()}, {}, run); });
}

TEST_F(ReadTest, SurvivesDamagedFiles) {
  make("a.obj", square_at(0) + faces);
  make_cache("a.pc2");
  const std::string obj = testing::read_bytes(path("a.obj")), cache = testing::read_bytes(path("a.pc2"));
  const marrow::Run one_thread{.threads = 1};
  const auto read_damaged_obj = [&](const std::string& bytes) {
    testing::replace_file(path("a.obj"), bytes);
    return read({path("a.obj")}, {}, one_thread);
  };
  const auto read_damaged_cache = [&](const std::string& bytes) {
    testing::replace_file(path("a.pc2"), bytes);
    return read({path("a.pc2")}, {}, one_thread);
  };
  testing::try_truncations(obj, read_damaged_obj);
  testing::try_flips(obj, read_damaged_obj);
  make("a.obj", obj);
  testing::try_truncations(cache, read_damaged_cache);
  testing::try_flips(cache, read_damaged_cache);
}

TEST(ReadShared, EverySequence) {
  MARROW_NEEDS_SHARED(shared);
  struct Counts {
    std::size_t vertices, faces, frames;
  };
  const std::map<std::string, Counts> known{
      {"cat-poses", {7207, 14410, 9}},         {"chickenCrossing", {3030, 5664, 400}},
      {"elephant-gallop", {42321, 84638, 48}}, {"face-poses", {29299, 57836, 9}},
      {"horse-collapse", {8431, 16843, 53}},   {"horse-gallop", {8431, 16843, 48}},
      {"horse-poses", {8431, 16843, 10}},      {"pcow", {2904, 5804, 204}},
      {"pdance", {7061, 14118, 201}},          {"samba", {9971, 19938, 175}},
  };
  for (const auto& [name, counts] : known) {
    SCOPED_TRACE(name);
    const Sequence sequence = read_sequence({(shared / "data/sequences" / (name + ".pc2")).string()});
    validate(sequence);
    EXPECT_EQ(sequence.vertices(), counts.vertices);
    EXPECT_EQ(sequence.mesh.faces(), counts.faces);
    EXPECT_EQ(sequence.frames(), counts.frames);
  }
}

}  // namespace
}  // namespace marrow
