#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "marrow/deform.hpp"
#include "marrow/metrics.hpp"
#include "support/shapes.hpp"

// The figures again, straight from their definitions: dense matrices, nothing shared with the library but the mesh.
namespace marrow {
namespace {

using Matrix = Eigen::MatrixXd;

/// 3 x vertices, one per frame.
std::vector<Matrix> frames_of(const Sequence& sequence) {
  std::vector<Matrix> frames;
  for (std::size_t t = 0; t < sequence.frames(); ++t) {
    Matrix m(3, Eigen::Index(sequence.vertices()));
    for (std::size_t i = 0; i < sequence.vertices(); ++i) {
      const Vec3& p = sequence.frame(t)[i];
      m.col(Eigen::Index(i)) << p.x, p.y, p.z;
    }
    frames.push_back(m);
  }
  return frames;
}

/// Dense umbrella operator: identity minus the average over neighbours.
Matrix dense_umbrella(const Mesh& mesh) {
  const auto n = Eigen::Index(mesh.vertices());
  Matrix adjacency = Matrix::Zero(n, n);
  for (std::size_t f = 0; f < mesh.faces(); ++f) {
    const std::uint32_t first = mesh.face_offsets[f], last = mesh.face_offsets[f + 1];
    for (std::uint32_t c = first; c < last; ++c) {
      const auto a = Eigen::Index(mesh.face_vertices[c]);
      const auto b = Eigen::Index(mesh.face_vertices[c + 1 == last ? first : c + 1]);
      adjacency(a, b) = adjacency(b, a) = 1;
    }
  }
  Matrix laplacian = Matrix::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double degree = adjacency.row(i).sum();
    if (degree == 0) continue;
    laplacian.row(i) = -adjacency.row(i) / degree;
    laplacian(i, i) = 1;
  }
  return laplacian;
}

/// Unit normals from the area vectors of all triangles around each vertex.
Matrix normals_of(const Mesh& mesh, const Matrix& p) {
  Matrix normals = Matrix::Zero(3, p.cols());
  for (std::size_t f = 0; f < mesh.faces(); ++f) {
    const std::uint32_t first = mesh.face_offsets[f], last = mesh.face_offsets[f + 1];
    Eigen::Vector3d area = Eigen::Vector3d::Zero();
    for (std::uint32_t c = first; c < last; ++c) {
      const Eigen::Vector3d a = p.col(mesh.face_vertices[c]);
      const Eigen::Vector3d b = p.col(mesh.face_vertices[c + 1 == last ? first : c + 1]);
      area += a.cross(b) / 2;
    }
    for (std::uint32_t c = first; c < last; ++c) normals.col(mesh.face_vertices[c]) += area;
  }
  return normals.colwise().normalized();
}

TEST(Reference, RandomCaseAgreesWithTheDefinitions) {
  Random random(10);
  const Mesh mesh = testing::sheet_of_quads(9);
  const Rig rig = testing::random_rig(random, mesh, 4, 3, 13);
  Sequence original = bake(rig);
  for (Vec3& p : original.positions) {
    const Vec3 noise = testing::random_point(random);
    p = {p.x + 0.1f * noise.x, p.y + 0.1f * noise.y, p.z + 0.1f * noise.z};
  }
  const Metrics m = compare(original, rig);

  const auto a = frames_of(original), b = frames_of(bake(rig));
  const Matrix umbrella = dense_umbrella(mesh);
  const double n = 81, frames = 13;
  Matrix mean = Matrix::Zero(3, 81);
  for (const Matrix& frame : a) mean += frame / frames;
  double squares = 0, motion = 0, rough = 0, angles = 0, worst_angle = 0;
  std::vector<double> distances, vertex_squares(81);
  for (std::size_t t = 0; t < a.size(); ++t) {
    const Matrix e = b[t] - a[t];
    squares += e.squaredNorm();
    motion += (a[t] - mean).squaredNorm();
    rough += (umbrella * e.transpose()).squaredNorm();
    const Matrix na = normals_of(mesh, a[t]), nb = normals_of(mesh, b[t]);
    for (Eigen::Index i = 0; i < 81; ++i) {
      distances.push_back(e.col(i).norm());
      vertex_squares[std::size_t(i)] += e.col(i).squaredNorm();
      const double angle = std::acos(std::clamp(na.col(i).dot(nb.col(i)), -1.0, 1.0)) * 180 / std::numbers::pi;
      angles += angle * angle;
      worst_angle = std::max(worst_angle, angle);
    }
  }
  // Distances are rounded to float once: 6e-8 of each.
  const auto expect_close = [](double value, double expected) { EXPECT_NEAR(value, expected, 6e-8 * expected); };
  expect_close(m.error.rms, std::sqrt(squares / (n * frames)));
  expect_close(m.e_rms, 1000 * std::sqrt(squares / (3 * n * frames)) / smallest_enclosing_ball(mesh.positions).radius);
  expect_close(m.distortion, 100 * std::sqrt(squares / motion));
  EXPECT_NEAR(m.fairness, std::sqrt(rough / (n * frames)), 1e-12);
  for (std::size_t i = 0; i < 81; ++i) expect_close(m.per_vertex_rms[i], std::sqrt(vertex_squares[i] / frames));
  // Normals are floats; so is their angle, to about 1e-7 rad.
  EXPECT_NEAR(m.normal_rms, std::sqrt(angles / (n * frames)), 1e-5);
  EXPECT_NEAR(m.normal_max, worst_angle, 1e-4);
  const std::size_t worst = std::size_t(std::ranges::max_element(distances) - distances.begin());
  EXPECT_EQ(m.worst_frame, worst / 81);
  EXPECT_EQ(m.worst_vertex, worst % 81);
  std::ranges::sort(distances);
  // 1053 distances: ranks 1043, 1001, 790, 527, 264.
  expect_close(m.error.p99, distances[1042]);
  expect_close(m.error.p95, distances[1000]);
  expect_close(m.error.q75, distances[789]);
  expect_close(m.error.median, distances[526]);
  expect_close(m.error.q25, distances[263]);
  expect_close(m.error.max, distances.back());
}

}  // namespace
}  // namespace marrow
