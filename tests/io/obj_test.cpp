#include "io/obj.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "marrow/io.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/fuzz.hpp"

namespace marrow {
namespace {

using Indices = std::vector<std::uint32_t>;

Mesh parse(std::string_view text) {
  Mesh mesh = parse_obj(text, "test.obj");
  validate(mesh);
  return mesh;
}

void expect_refused(const std::string& text, std::size_t line, const std::string& part = "") {
  SCOPED_TRACE(text);
  testing::expect_error(ErrorCode::bad_file, {fmt::format("test.obj:{}: ", line), part}, [&] { parse(text); });
}

const std::string square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(ObjRead, PositionsAndPolygons) {
  const Mesh mesh = parse(square + "f 1 2 3 4\nf 4 3 1\n");
  EXPECT_EQ(mesh.positions, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
  EXPECT_EQ(mesh.face_offsets, (Indices{0, 4, 7}));
  EXPECT_EQ(mesh.face_vertices, (Indices{0, 1, 2, 3, 3, 2, 0}));
  EXPECT_TRUE(mesh.uvs.empty() && mesh.corner_uvs.empty() && mesh.normals.empty() && mesh.corner_normals.empty());
}

TEST(ObjRead, EveryWayToWriteANumber) {
  const Mesh mesh = parse("v 1 -2.5 +3.25\nv .5 5. -.125\nv 1e2 1E-2 -1.5e+1\nv 0.1 1e-50 00012\n");
  EXPECT_EQ(mesh.positions, (std::vector<Vec3>{{1, -2.5f, 3.25f}, {.5f, 5, -.125f}, {100, .01f, -15}, {.1f, 0, 12}}));
}

TEST(ObjRead, CornersWithUvsAndNormals) {
  const std::string attributes = square + "vt 0 0\nvt 1 0\nvt 1 1 0.5\nvt 0.25\nvn 0 0 1\nvn 0 1 0\n";
  const Mesh both = parse(attributes + "f 1/1/1 2/2/1 3/3/2\n");
  EXPECT_EQ(both.uvs, (std::vector<Vec2>{{0, 0}, {1, 0}, {1, 1}, {.25f, 0}}));
  EXPECT_EQ(both.normals, (std::vector<Vec3>{{0, 0, 1}, {0, 1, 0}}));
  EXPECT_EQ(both.corner_uvs, (Indices{0, 1, 2}));
  EXPECT_EQ(both.corner_normals, (Indices{0, 0, 1}));

  const Mesh uvs = parse(attributes + "f 1/4 2/3 3/2\n");
  EXPECT_EQ(uvs.corner_uvs, (Indices{3, 2, 1}));
  EXPECT_TRUE(uvs.corner_normals.empty() && uvs.normals.empty());

  const Mesh normals = parse(attributes + "f 1//2 2//1 3//2\n");
  EXPECT_EQ(normals.corner_normals, (Indices{1, 0, 1}));
  EXPECT_TRUE(normals.corner_uvs.empty() && normals.uvs.empty());
}

TEST(ObjRead, AttributeOfOnlySomeFacesIsDropped) {
  const Mesh mesh = parse(square + "vt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1\nf 1//1 3//1 4//1\n");
  EXPECT_TRUE(mesh.uvs.empty() && mesh.corner_uvs.empty());
  EXPECT_EQ(mesh.corner_normals, (Indices{0, 0, 0, 0, 0, 0}));
}

TEST(ObjRead, RelativeIndicesCountFromTheNewest) {
  const Mesh mesh = parse(
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nvn 0 0 1\nf -3/-1/-1 -2/-1/-1 -1/-1/-1\n"
      "v 0 1 0\nvt 1 1\nf -4/-2/1 -2/-1/1 -1/2/-1\n");
  EXPECT_EQ(mesh.face_vertices, (Indices{0, 1, 2, 0, 2, 3}));
  EXPECT_EQ(mesh.corner_uvs, (Indices{0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(mesh.corner_normals, (Indices{0, 0, 0, 0, 0, 0}));
}

TEST(ObjRead, FacesMayComeBeforeTheirVertices) {
  EXPECT_EQ(parse("f 1 2 3\n" + square).face_vertices, (Indices{0, 1, 2}));
  expect_refused("v 0 0 0\nf 1 2 5\nf 1 2 3\n" + square.substr(8), 2, "vertex 5, but the file has 4");
}

TEST(ObjRead, LineEndingsBlanksAndContinuations) {
  const Mesh expected = parse(square + "f 1 2 3 4\n");
  std::string crlf, old_mac;
  for (const char c : square + "f 1 2 3 4\n") {
    crlf += c == '\n' ? "\r\n" : std::string(1, c);
    old_mac += c == '\n' ? '\r' : c;
  }
  EXPECT_EQ(parse(crlf), expected);
  EXPECT_EQ(parse(old_mac), expected);
  EXPECT_EQ(parse(square + "f 1 2 3 4"), expected) << "no newline at the end";
  EXPECT_EQ(parse("\xEF\xBB\xBF" + square + "\n\n  f\t1  2\t 3 4 \t\n"), expected);
  EXPECT_EQ(parse(square + "f 1 2 \\\n 3 \\\r\n4\n"), expected);
  EXPECT_EQ(parse(square + "f 1 2\\\n\\\n3 4 \\"), expected);
  EXPECT_EQ(parse("v\\\n0 0 0" + square.substr(7) + "f 1 2 3 4#5 6"), expected);
}

TEST(ObjRead, PassesOverTheRest) {
  const Mesh expected = parse(square + "f 1 2 3 4\n");
  EXPECT_EQ(
      parse("# a comment \\\nmtllib x.mtl\no thing\ng a b\nv 0 0 0 1 0 0\nv 1 0 0 0.5\nv 1 1 0 # here: \\\nv 0 1 0\n"
            "usemtl red\ns off\ns 1\nl 1 2\np 1\nvp 0.5\ncstype bspline\ncurv 0 1 \\\nf 0 0 0\nf 1 2 3 4\nend"),
      expected);
}

TEST(ObjRead, RefusesBadNumbersWithTheirLine) {
  expect_refused("v 0 0\n", 1, "missing");
  expect_refused("v\n", 1, "missing");
  expect_refused("v 0 0 \\\n # 1\n", 2, "missing");
  for (const char* word :
       {"nan", "inf", "-inf", "infinity", "1e39", "1e999", "x", "1.2.3", "1,5", "--1", "+-1", "0x1", "1e"}) {
    expect_refused(fmt::format("v 0 0 0\n\nv 1 {} 0\n", word), 3, fmt::format("\"{}\"", word));
    expect_refused(fmt::format("v 0 0 0\nvt {}\n", word), 2, "finite");
    expect_refused(fmt::format("v 0 0 0\nvn 0 0 {}\n", word), 2, "finite");
  }
  expect_refused("v 0 0 0\nvt\n", 2, "missing");
  expect_refused(
      "v 0 0 \x01\xff"
      "7\n",
      1, "\"??7\"");
}

TEST(ObjRead, RefusesBadFacesWithTheirLine) {
  const std::string start = square + "vt 0 0\nvn 0 0 1\n";
  expect_refused(start + "f\n", 7, "0 corners");
  expect_refused(start + "f 1 2\n", 7, "2 corners");
  expect_refused(start + "f 1 2 0\n", 7, "start at 1");
  expect_refused(start + "f 1 2 -0\n", 7, "start at 1");
  expect_refused(start + "f 1 2 5\n", 7, "vertex 5, but the file has 4");
  expect_refused(start + "f 1 2 -5\n", 7, "-5");
  expect_refused(start + "f 1 2 4294967297\n", 7, "4294967297");
  expect_refused(start + "f 1 2 99999999999999999999999999\n", 7);
  expect_refused(start + "f 1/2 2/1 3/1\n", 7, "texture coordinate 2");
  expect_refused(start + "f 1//1 2//1 3//2\n", 7, "normal 2");
  expect_refused(start + "f 1/-2 2/1 3/1\n", 7, "-2");
  expect_refused(start + "f 1/0 2/1 3/1\n", 7, "start at 1");
  expect_refused(start + "f 1 2 x\n", 7, "whole number");
  expect_refused(start + "f 1 2 -\n", 7, "whole number");
  expect_refused(start + "f 1 2 3.5\n", 7, "v/vt");
  expect_refused(start + "f 1 2 3/1/1/1\n", 7, "v/vt");
  expect_refused(start + "f 1/1 2/1 3\n", 7, "only some");
  expect_refused(start + "f 1 2//1 3\n", 7, "only some");
  expect_refused(start + "f 1/1/1 2/1 3/1/1\n", 7, "only some");
}

TEST(ObjRead, RefusesTextWithoutVertices) {
  for (const char* text : {"", "\n", "hello", "f", "# v 0 0 0", "glTF\x02"}) {
    SCOPED_TRACE(text);
    testing::expect_error(ErrorCode::bad_file, {"test.obj"}, [&] { parse(text); });
  }
}

TEST(ObjRead, FileErrorsNameTheFile) {
  const auto folder = testing::output_folder();
  testing::expect_error(ErrorCode::bad_file, {"missing.obj", "cannot be opened"},
                        [&] { read_obj(folder / "missing.obj"); });
  testing::expect_error(ErrorCode::bad_file, {folder.string(), "ordinary"}, [&] { read_obj(folder); });
  testing::write_bytes(folder / "bad.obj", "v 0 0 0\nf 1 1\n");
  testing::expect_error(ErrorCode::bad_file, {(folder / "bad.obj").string() + ":2: "},
                        [&] { read_obj(folder / "bad.obj"); });
}

TEST(ObjRead, SurvivesDamage) {
  const std::string sample =
      "# sample\r\nmtllib a.mtl\nv 0 0 0\nv 1.5e0 0 -0.25 1 0 0\nv +1 1 0\nv 0 1\\\n 0\nvt 0 1\nvt .5 0.125 0\n"
      "vn 0 0 1\ng x\nf 1/1/1 2/2/1 3/1/1 4/2/-1\ns 1\nf -4/1/1 -1/-1/1 \\\r\n2/2/1";
  const auto read = [](const std::string& bytes) { return parse_obj(bytes, "damaged"); };
  const auto cut = testing::try_truncations(sample, read);
  EXPECT_GT(cut.read, 10u);
  EXPECT_GT(cut.refused, 10u);
  const auto flipped = testing::try_flips(sample, read, 5000);
  EXPECT_GT(flipped.read, 100u);
  EXPECT_GT(flipped.refused, 100u);
}

}  // namespace
}  // namespace marrow
