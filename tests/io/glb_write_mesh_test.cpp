// Vertices, seams, faces and their attributes in written files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "io/seams.hpp"
#include "marrow/io.hpp"
#include "support/files.hpp"
#include "support/independent_glb.hpp"
#include "support/rigs.hpp"

namespace marrow {
namespace {

using testing::IndependentGlb;

/// Puts a mesh on one bone that does not move.
Rig on_one_bone(Mesh mesh) {
  Rig rig;
  rig.skeleton = {{"bone"}, {-1}, {Affine()}};
  for (std::uint32_t i = 0; i < mesh.vertices(); ++i) {
    rig.weights.offsets.push_back(i);
    rig.weights.bones.push_back(0);
    rig.weights.values.push_back(1);
  }
  rig.weights.offsets.push_back(std::uint32_t(mesh.vertices()));
  rig.motion = {Timeline::uniform(1, 24), 1, {Affine()}};
  rig.mesh = std::move(mesh);
  return rig;
}

IndependentGlb written(const Mesh& mesh, const GlbOptions& options = {}) {
  const auto file = testing::output_folder() / "mesh.glb";
  write_glb(on_one_bone(mesh), file, options);
  return IndependentGlb(file);
}

/// Two squares side by side that share the vertices 1 and 2, and a loose vertex.
Mesh two_squares() {
  Mesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}, {2, 1, 0}, {9, 9, 9}};
  mesh.face_offsets = {0, 4, 8};
  mesh.face_vertices = {0, 1, 2, 3, 1, 4, 5, 2};
  return mesh;
}

TEST(GlbWriteMesh, FacesAreFansOfTheSameVertices) {
  const IndependentGlb glb = written(two_squares());
  EXPECT_EQ(glb.numbers(glb.primitive()["indices"]), (std::vector<double>{0, 1, 2, 0, 2, 3, 1, 4, 5, 1, 5, 2}));
  EXPECT_EQ(glb.vertices(), 7u);
  EXPECT_EQ(glb.document()["meshes"][0]["extras"]["marrow"]["source_vertices"], nlohmann::json::array());
  const std::size_t position = glb.primitive()["attributes"]["POSITION"];
  EXPECT_EQ(glb.document()["accessors"][position]["max"], nlohmann::json::array({9, 9, 9}));
  EXPECT_EQ(glb.document()["accessors"][position]["min"], nlohmann::json::array({0, 0, 0}));
}

TEST(GlbWriteMesh, SeamsAppendCopies) {
  Mesh mesh = two_squares();
  // A seam at vertex 1 only; vertex 2 has two indices of the same value, which is no seam.
  mesh.uvs = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.25f, 0.125f}, {2, 0}, {2, 1}, {1, 1}};
  mesh.corner_uvs = {0, 1, 2, 3, 4, 5, 6, 7};
  const IndependentGlb glb = written(mesh);
  EXPECT_EQ(glb.vertices(), 8u);
  EXPECT_EQ(glb.document()["meshes"][0]["extras"]["marrow"]["source_vertices"], nlohmann::json::array({1}));
  EXPECT_EQ(glb.numbers(glb.primitive()["indices"]), (std::vector<double>{0, 1, 2, 0, 2, 3, 7, 4, 5, 7, 5, 2}));
  const auto& positions = glb.attribute("POSITION");
  EXPECT_EQ(std::vector<double>(positions.end() - 3, positions.end()), (std::vector<double>{1, 0, 0}));
  // From the lower to the upper left corner as origin.
  EXPECT_EQ(glb.attribute("TEXCOORD_0"), (std::vector<double>{0, 1, 1, 1, 1, 0, 0, 0, 2, 1, 2, 0, 0, 1, 0.25, 0.875}));
}

TEST(GlbWriteMesh, CornersKeepUvAndNormalTogether) {
  Mesh mesh = two_squares();
  mesh.uvs = {{0, 0}, {0.5f, 0.5f}};
  mesh.corner_uvs = {0, 0, 1, 0, 1, 0, 0, 1};
  mesh.normals = {{0, 0, 1}, {0, 1, 0}};
  mesh.corner_normals = {0, 0, 0, 0, 0, 0, 0, 1};
  const IndependentGlb glb = written(mesh);
  // Every triangle corner, followed back, has what its mesh corner says.
  const auto& indices = glb.numbers(glb.primitive()["indices"]);
  const std::vector<std::uint32_t> corners{0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
  ASSERT_EQ(indices.size(), corners.size());
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const auto v = std::size_t(indices[k]);
    const Vec3& p = mesh.positions[mesh.face_vertices[corners[k]]];
    const Vec3& n = mesh.normals[mesh.corner_normals[corners[k]]];
    EXPECT_EQ(glb.attribute("POSITION")[3 * v], p.x);
    EXPECT_EQ(glb.attribute("POSITION")[3 * v + 1], p.y);
    EXPECT_EQ(glb.attribute("TEXCOORD_0")[2 * v], mesh.uvs[mesh.corner_uvs[corners[k]]].x);
    EXPECT_EQ(glb.attribute("NORMAL")[3 * v + 1], n.y);
    EXPECT_EQ(glb.attribute("NORMAL")[3 * v + 2], n.z);
  }
  EXPECT_EQ(glb.vertices(), 9u);  // vertex 1 differs in uv, vertex 2 in its normal
}

TEST(GlbWriteMesh, NormalsHaveUnitLength) {
  Mesh mesh = two_squares();
  mesh.normals = {{0, 0, 3}, {0, 0, 0}, {1e-30f, 0, 0}};
  mesh.corner_normals = {0, 0, 0, 0, 0, 1, 2, 0};
  const IndependentGlb glb = written(mesh);
  const auto& normals = glb.attribute("NORMAL");
  const auto normal = [&](std::size_t v) {
    return std::vector<double>(normals.begin() + std::ptrdiff_t(3 * v), normals.begin() + std::ptrdiff_t(3 * v + 3));
  };
  EXPECT_EQ(normal(0), (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(normal(4), (std::vector<double>{0, 1, 0}));  // no direction
  EXPECT_EQ(normal(5), (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(normal(6), (std::vector<double>{0, 1, 0}));  // no corner
}

TEST(GlbWriteMesh, SmoothNormalsAreAddedOnlyWhereAskedAndMissing) {
  Mesh mesh = two_squares();
  EXPECT_EQ(written(mesh).attribute("NORMAL")[2], 1);
  EXPECT_TRUE(written(mesh, {.normals = false}).attribute("NORMAL").empty());
  mesh.normals = {{1, 0, 0}};
  mesh.corner_normals.assign(8, 0);
  EXPECT_EQ(written(mesh, {.normals = false}).attribute("NORMAL")[0], 1);
}

TEST(GlbWriteMesh, PointCloudsArePoints) {
  Mesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 2, 3}, {4, 5, 6}};
  const IndependentGlb glb = written(mesh);
  EXPECT_EQ(glb.primitive()["mode"], 0);
  EXPECT_FALSE(glb.primitive().contains("indices"));
  EXPECT_TRUE(glb.attribute("NORMAL").empty());
  EXPECT_EQ(glb.attribute("POSITION"), (std::vector<double>{0, 0, 0, 1, 2, 3, 4, 5, 6}));
}

TEST(GlbWriteMesh, ASinglePointIsEnough) {
  Mesh mesh;
  mesh.positions = {{3, 4, 5}};
  EXPECT_EQ(written(mesh).rest()[0], (IndependentGlb::Point{3, 4, 5}));
}

TEST(GlbWriteMesh, IndicesAreWideFromSixteenBitsOn) {
  for (const std::uint32_t count : {65534u, 65535u}) {
    Mesh mesh;
    mesh.positions.assign(count, {0, 0, 0});
    for (std::uint32_t i = 0; i < count; ++i) mesh.positions[i].x = float(i);
    mesh.positions[1].y = 1;
    mesh.face_offsets = {0, 3};
    mesh.face_vertices = {0, count - 1, 1};
    const IndependentGlb glb = written(mesh);
    const std::size_t accessor = glb.primitive()["indices"];
    EXPECT_EQ(glb.document()["accessors"][accessor]["componentType"], count < 65535 ? 5123 : 5125);
    EXPECT_EQ(glb.numbers(accessor)[1], count - 1);
  }
}

TEST(GlbWriteSeams, ADifferenceInAnyNumberIsASeam) {
  for (int number = -1; number < 5; ++number) {
    Mesh mesh = two_squares();
    mesh.uvs = {{0.5f, 0.5f}, {0.5f, 0.5f}};
    mesh.normals = {{0.6f, 0.6f, 0.6f}, {0.6f, 0.6f, 0.6f}};
    if (number >= 0) {
      float* values[] = {&mesh.uvs[1].x, &mesh.uvs[1].y, &mesh.normals[1].x, &mesh.normals[1].y, &mesh.normals[1].z};
      *values[number] += 0.125f;
    }
    mesh.corner_uvs = mesh.corner_normals = {0, 0, 0, 0, 0, 0, 0, 1};
    const SeamVertices seams(mesh);
    EXPECT_EQ(seams.sources().size(), number < 0 ? 0u : 1u) << number;
    EXPECT_EQ(seams.vertex(7), number < 0 ? 2u : 7u) << number;
  }
}

TEST(GlbWriteSeams, AHubOfManySeamsTakesLinearTime) {
  // All triangles meet in vertex 0, each with a uv of its own there.
  const auto fan = [](std::uint32_t triangles) {
    Mesh mesh;
    mesh.positions.assign(triangles + 2, {0, 0, 0});
    mesh.face_offsets.push_back(0);
    for (std::uint32_t k = 0; k < triangles; ++k) {
      for (const std::uint32_t v : {0u, k + 1, k + 2}) {
        mesh.face_vertices.push_back(v);
        mesh.corner_uvs.push_back(v == 0 ? k : 0);
      }
      mesh.face_offsets.push_back(3 * (k + 1));
      mesh.uvs.push_back({float(k), 0});
    }
    return mesh;
  };
  // Large enough that a quadratic search runs into the test's time limit.
  const Mesh mesh = fan(1'000'000);
  const SeamVertices seams(mesh);
  EXPECT_EQ(seams.sources().size(), 999'999u);
  EXPECT_EQ(seams.vertex(3 * 77'777), mesh.vertices() + 77'776);
}

}  // namespace
}  // namespace marrow
