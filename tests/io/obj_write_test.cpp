#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/random.hpp"
#include "marrow/io.hpp"
#include "support/expect_error.hpp"
#include "support/file_size_limit.hpp"
#include "support/files.hpp"

namespace marrow {
namespace {

namespace fs = std::filesystem;

/// A float of any size, sign and last digit.
float any_float(Random& random) {
  for (;;) {
    const float value = std::bit_cast<float>(std::uint32_t(random.bits()));
    if (std::isfinite(value)) return value;
  }
}

Mesh any_mesh(std::size_t vertices, bool uvs, bool normals) {
  Random random(vertices);
  Mesh mesh;
  for (std::size_t i = 0; i < vertices; ++i) {
    mesh.positions.push_back({any_float(random), any_float(random), any_float(random)});
    if (uvs) mesh.uvs.push_back({any_float(random), any_float(random)});
    if (normals) mesh.normals.push_back({any_float(random), any_float(random), any_float(random)});
  }
  mesh.positions[0] = {-0.0f, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max()};
  mesh.face_offsets.push_back(0);
  for (std::size_t f = 0; f < vertices; ++f) {
    for (std::uint64_t corners = 3 + random.index(3); corners > 0; --corners) {
      mesh.face_vertices.push_back(std::uint32_t(random.index(vertices)));
      if (uvs) mesh.corner_uvs.push_back(std::uint32_t(random.index(vertices)));
      if (normals) mesh.corner_normals.push_back(std::uint32_t(random.index(vertices)));
    }
    mesh.face_offsets.push_back(std::uint32_t(mesh.face_vertices.size()));
  }
  return mesh;
}

Sequence any_sequence(std::size_t vertices, std::size_t frames) {
  Sequence sequence{any_mesh(vertices, true, true), Timeline::uniform(frames, 30), {}};
  Random random(frames);
  sequence.positions.resize(vertices * frames);
  for (Vec3& p : sequence.positions) p = {any_float(random), any_float(random), any_float(random)};
  return sequence;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

TEST(ObjWrite, KnownText) {
  const auto file = testing::output_folder() / "a.obj";
  Mesh mesh{
      {{0, 0, 0}, {1, 0.1f, -2.5f}, {1e-7f, 1e20f, 3}}, {0, 3}, {0, 1, 2}, {{0, 1}}, {0, 0, 0}, {{0, 0, 1}}, {0, 0, 0}};
  const std::string head = "v 0 0 0\nv 1 0.1 -2.5\nv 1e-07 1e+20 3\n";
  write_obj(mesh, file);
  EXPECT_EQ(testing::read_bytes(file), head + "vt 0 1\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1\n");
  mesh.corner_uvs.clear();
  write_obj(mesh, file);
  EXPECT_EQ(testing::read_bytes(file), head + "vn 0 0 1\nf 1//1 2//1 3//1\n");
  mesh.corner_normals.clear();
  write_obj(mesh, file);
  EXPECT_EQ(testing::read_bytes(file), head + "f 1 2 3\n");
}

TEST(ObjWrite, ReadsBackToTheSameBits) {
  const auto file = testing::output_folder() / "a.obj";
  for (const bool uvs : {false, true}) {
    for (const bool normals : {false, true}) {
      const Mesh mesh = any_mesh(20'000, uvs, normals);
      write_obj(mesh, file);
      const Mesh back = read_obj(file);
      EXPECT_TRUE(back == mesh);
      EXPECT_TRUE(std::signbit(back.positions[0].x)) << "== does not see the sign of zero";
    }
  }
}

TEST(ObjWrite, PointsWithoutFaces) {
  const auto file = testing::output_folder() / "a.obj";
  Mesh points;
  points.positions = {{1, 2, 3}, {4, 5, 6}};
  write_obj(points, file);
  EXPECT_TRUE(read_obj(file) == points);
}

TEST(ObjWrite, RefusesInvalidMeshes) {
  const auto folder = testing::output_folder();
  Mesh mesh = any_mesh(10, false, false);
  mesh.face_vertices[3] = 10;
  testing::expect_error(ErrorCode::bad_input, {"face_vertices"}, [&] { write_obj(mesh, folder / "a.obj"); });
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST(ObjWrite, FullDiskKeepsTheOldFile) {
  const auto folder = testing::output_folder();
  testing::write_bytes(folder / "a.obj", "old");
  const Mesh small = any_mesh(10, false, false), large = any_mesh(50'000, false, false);
  for (const Mesh* mesh : {&small, &large}) {
    const testing::FileSizeLimit full_disk(100);
    testing::expect_error(ErrorCode::bad_file, {"a.obj", "cannot be written"},
                          [&] { write_obj(*mesh, folder / "a.obj"); });
  }
  EXPECT_EQ(testing::read_bytes(folder / "a.obj"), "old");
  EXPECT_EQ(names_in(folder), (std::vector<std::string>{"a.obj"}));
}

TEST(ObjWrite, FailsWhereItCannotWrite) {
  const auto folder = testing::output_folder();
  const Mesh mesh = any_mesh(10, false, false);
  testing::expect_error(ErrorCode::bad_file, {"missing"}, [&] { write_obj(mesh, folder / "missing" / "a.obj"); });
  testing::expect_error(ErrorCode::bad_file, {"is a folder"}, [&] { write_obj(mesh, folder); });
  testing::expect_error(ErrorCode::bad_file, {}, [&] { write_obj(mesh, folder / std::string(1000, 'x')); });
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST(ObjWrite, StaleTemporaryFilesAreLeftAlone) {
  const auto folder = testing::output_folder();
  testing::write_bytes(folder / "a.obj.tmp-0", "of a run that was killed");
  write_obj(any_mesh(10, false, false), folder / "a.obj");
  EXPECT_EQ(testing::read_bytes(folder / "a.obj.tmp-0"), "of a run that was killed");
  EXPECT_EQ(names_in(folder), (std::vector<std::string>{"a.obj", "a.obj.tmp-0"}));
}

TEST(ObjWrite, FilesFollowTheMask) {
  const auto file = testing::output_folder() / "a.obj";
  const mode_t old = umask(027);
  write_obj(any_mesh(10, false, false), file);
  umask(old);
  struct stat status {};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(ObjSequence, WritesNumberedFiles) {
  const auto folder = testing::output_folder() / "walk";
  const Sequence sequence = any_sequence(50, 12);
  write_obj_sequence(sequence, folder / "");
  const auto names = names_in(folder);
  ASSERT_EQ(names.size(), 12u);
  EXPECT_EQ(names.front(), "walk_0001.obj");
  EXPECT_EQ(names.back(), "walk_0012.obj");
  EXPECT_EQ(names_in(folder.parent_path()), (std::vector<std::string>{"walk"}));

  const Mesh last = read_obj(folder / "walk_0012.obj");
  EXPECT_TRUE(std::ranges::equal(last.positions, sequence.frame(11)));
  EXPECT_EQ(last.face_vertices, sequence.mesh.face_vertices);
  EXPECT_EQ(last.corner_uvs, sequence.mesh.corner_uvs);
  EXPECT_TRUE(last.normals.empty()) << "the rest pose's normals are not those of the frame";

  const Sequence back = read_sequence({folder.string()});
  EXPECT_EQ(back.frames(), 12u);
  EXPECT_TRUE(std::ranges::equal(back.positions, sequence.positions));
}

TEST(ObjSequence, TakesAnEmptyFolderButNoOther) {
  const auto folder = testing::output_folder();
  fs::create_directory(folder / "empty");
  const Sequence sequence = any_sequence(5, 2);
  write_obj_sequence(sequence, folder / "empty");
  EXPECT_EQ(names_in(folder / "empty").size(), 2u);
  testing::expect_error(ErrorCode::bad_file, {"empty", "not an empty folder"},
                        [&] { write_obj_sequence(sequence, folder / "empty"); });
  testing::write_bytes(folder / "file", "x");
  testing::expect_error(ErrorCode::bad_file, {"file"}, [&] { write_obj_sequence(sequence, folder / "file"); });
  testing::expect_error(ErrorCode::bad_file, {"missing"},
                        [&] { write_obj_sequence(sequence, folder / "missing" / "x"); });
  EXPECT_EQ(names_in(folder), (std::vector<std::string>{"empty", "file"}));
}

TEST(ObjSequence, FullDiskLeavesNothing) {
  const auto folder = testing::output_folder();
  const Sequence sequence = any_sequence(50, 8);
  for (const int threads : {1, 2, 7}) {
    const testing::FileSizeLimit full_disk(1000);
    testing::expect_error(ErrorCode::bad_file, {"walk/walk_0001.obj: cannot be written"},
                          [&] { write_obj_sequence(sequence, folder / "walk", {.threads = threads}); });
    EXPECT_TRUE(fs::is_empty(folder));
  }
}

TEST(ObjSequence, RemovesWhatAKilledWriterLeft) {
  const auto folder = testing::output_folder();
  fs::create_directories(folder / ".marrow-0.tmp");
  testing::write_bytes(folder / ".marrow-0.tmp/walk_0001.obj", "of a run that was killed");
  write_obj_sequence(any_sequence(5, 2), folder / "walk");
  EXPECT_EQ(names_in(folder), (std::vector<std::string>{"walk"}));
  EXPECT_EQ(names_in(folder / "walk").size(), 2u);
}

TEST(ObjSequence, StopLeavesNothing) {
  const auto folder = testing::output_folder();
  const Sequence sequence = any_sequence(20, 200);
  std::stop_source source;
  const marrow::Run run{
      .stop = source.get_token(), .progress = [&](const Progress&) { source.request_stop(); }, .threads = 2};
  testing::expect_error(ErrorCode::stopped, {}, [&] { write_obj_sequence(sequence, folder / "walk", run); });
  EXPECT_TRUE(fs::is_empty(folder));
}

}  // namespace
}  // namespace marrow
