#include "marrow/mesh.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "support/shapes.hpp"

namespace marrow {
namespace {

using testing::add_face;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;
using Edges = std::vector<std::array<std::uint32_t, 2>>;

/// A triangle and a pentagon that share no vertex, and one vertex without faces.
Mesh two_shells_and_a_point() {
  Mesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {7, 0, 0}, {8, 1, 0}, {6, 2, 0}, {5, 1, 0}, {9, 9, 9}};
  add_face(mesh, {2, 0, 1});
  add_face(mesh, {3, 4, 5, 6, 7});
  return mesh;
}

TEST(Mesh, TrianglesFanOutInFaceOrder) {
  const Triangles cube = triangles(testing::cube_of_quads());
  ASSERT_EQ(cube.size(), 12u);
  EXPECT_EQ(cube[0], (std::array<std::uint32_t, 3>{0, 2, 3}));
  EXPECT_EQ(cube[1], (std::array<std::uint32_t, 3>{0, 3, 1}));
  EXPECT_EQ(cube[11], (std::array<std::uint32_t, 3>{1, 7, 5}));
  EXPECT_EQ(triangles(two_shells_and_a_point()), (Triangles{{2, 0, 1}, {3, 4, 5}, {3, 5, 6}, {3, 6, 7}}));
}

TEST(Mesh, EdgesAreThoseOfThePolygons) {
  // Vertices of a cube are joined where their numbers differ in one bit; no face diagonals.
  EXPECT_EQ(edges(testing::cube_of_quads()),
            (Edges{{0, 1}, {0, 2}, {0, 4}, {1, 3}, {1, 5}, {2, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 6}, {5, 7}, {6, 7}}));
  EXPECT_EQ(edges(two_shells_and_a_point()), (Edges{{0, 1}, {0, 2}, {1, 2}, {3, 4}, {3, 7}, {4, 5}, {5, 6}, {6, 7}}));
}

TEST(Mesh, AFaceThatRepeatsAVertexHasNoEdgeToItself) {
  Mesh mesh;
  mesh.positions.resize(3);
  add_face(mesh, {0, 1, 1, 2});
  EXPECT_EQ(edges(mesh), (Edges{{0, 1}, {0, 2}, {1, 2}}));
}

TEST(Mesh, CubeNormalsPointAwayFromTheMiddle) {
  const Mesh cube = testing::cube_of_quads();
  const auto normals = vertex_normals(cube, cube.positions);
  const float s = 1 / std::sqrt(3.0f);
  for (std::size_t v = 0; v < 8; ++v) {
    const Vec3& p = cube.positions[v];
    EXPECT_FLOAT_EQ(normals[v].x, p.x > 0 ? s : -s);
    EXPECT_FLOAT_EQ(normals[v].y, p.y > 0 ? s : -s);
    EXPECT_FLOAT_EQ(normals[v].z, p.z > 0 ? s : -s);
  }
}

TEST(Mesh, NormalsAreWeightedByArea) {
  // At vertex 0 a right triangle of area 2 facing +z and one of area 1/2 facing +x meet: n ~ (1/2, 0, 2) ~ (1, 0, 4).
  Mesh mesh;
  mesh.positions = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 1, 0}, {0, 0, 1}};
  add_face(mesh, {0, 1, 2});
  add_face(mesh, {0, 3, 4});
  const auto normals = vertex_normals(mesh, mesh.positions);
  EXPECT_FLOAT_EQ(normals[0].x, 1 / std::sqrt(17.0f));
  EXPECT_FLOAT_EQ(normals[0].y, 0);
  EXPECT_FLOAT_EQ(normals[0].z, 4 / std::sqrt(17.0f));
  EXPECT_EQ(normals[1], (Vec3{0, 0, 1}));
  EXPECT_EQ(normals[4], (Vec3{1, 0, 0}));
}

TEST(Mesh, NormalsFollowThePositionsGivenNotTheRestPose) {
  const Mesh mesh = two_shells_and_a_point();
  std::vector<Vec3> turned;
  for (const Vec3& p : mesh.positions) turned.push_back({p.z, p.x, p.y});
  const auto normals = vertex_normals(mesh, turned);
  EXPECT_EQ(normals[0], (Vec3{1, 0, 0}));
  EXPECT_EQ(normals[5], (Vec3{1, 0, 0}));
}

TEST(Mesh, NormalsWithoutAreaPointUp) {
  EXPECT_EQ(vertex_normals(two_shells_and_a_point(), two_shells_and_a_point().positions)[8], (Vec3{0, 1, 0}));
  const Mesh cube = testing::cube_of_quads();
  const std::vector<Vec3> collapsed(8, {1, 2, 3});
  EXPECT_EQ(vertex_normals(cube, collapsed)[3], (Vec3{0, 1, 0}));
}

TEST(Mesh, CountsShells) {
  EXPECT_EQ(count_shells(testing::cube_of_quads()), 1u);
  EXPECT_EQ(count_shells(two_shells_and_a_point()), 3u);
  Mesh touching = two_shells_and_a_point();
  add_face(touching, {7, 2, 8});
  EXPECT_EQ(count_shells(touching), 1u);
}

TEST(Mesh, APointCloudHasVerticesOnly) {
  Mesh cloud;
  cloud.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_NO_THROW(validate(cloud));
  EXPECT_EQ(cloud.faces(), 0u);
  EXPECT_TRUE(triangles(cloud).empty());
  EXPECT_TRUE(edges(cloud).empty());
  EXPECT_EQ(count_shells(cloud), 3u);
  EXPECT_EQ(vertex_normals(cloud, cloud.positions), (std::vector<Vec3>(3, {0, 1, 0})));
  EXPECT_EQ(count_shells(Mesh{}), 0u);
}

/// The search works in chunks; the ends of chunks are where it could slip.
TEST(Mesh, FindsTheFirstPointThatIsNotFinite) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(first_not_finite({}), 0u);
  const std::vector<Vec3> good(3000, {1e38f, -3e38f, 0});
  EXPECT_EQ(first_not_finite(good), 3000u);
  for (const std::size_t place : {0u, 1u, 1023u, 1024u, 2047u, 2999u}) {
    for (const Vec3& bad : {Vec3{nan, 0, 0}, Vec3{0, inf, 0}, Vec3{0, 0, -inf}}) {
      std::vector<Vec3> points = good;
      points[place] = bad;
      points.back() = bad;
      EXPECT_EQ(first_not_finite(points), place);
    }
  }
}

}  // namespace
}  // namespace marrow
