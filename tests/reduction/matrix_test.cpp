// Weights without bones.
#include <gtest/gtest.h>

#include "reduction/dense_rig.hpp"
#include "support/expect_error.hpp"

namespace marrow {
namespace {

using testing::dense_rigs;
using testing::expect_error;

Matrix to_matrix(const Rig& rig) {
  Matrix matrix{rig.vertices(), rig.bones(), std::vector<float>(rig.vertices() * rig.bones())};
  for (std::size_t i = 0; i < rig.vertices(); ++i) {
    for (std::size_t a = 0; a < rig.weights.row_bones(i).size(); ++a) {
      matrix.row(i)[rig.weights.row_bones(i)[a]] = rig.weights.row_values(i)[a];
    }
  }
  return matrix;
}

void expect_rows(const Matrix& matrix, std::size_t influences) {
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    double sum = 0;
    for (const float w : matrix.row(i)) sum += w;
    EXPECT_NEAR(sum, 1, 1e-5) << "row " << i;
    EXPECT_LE(std::ranges::count_if(matrix.row(i), [](float w) { return w != 0; }), std::ptrdiff_t(influences));
  }
}

TEST(ReduceMatrix, ConvexWeightsAreReducedAsThoseOfARig) {
  const Rig rig = dense_rigs()[1];
  for (const ReduceMethod method : {ReduceMethod::klargest, ReduceMethod::smooth}) {
    const Matrix result = reduce(to_matrix(rig), rig.mesh, {.influences = 3, .method = method}).value;
    expect_rows(result, 3);
    Rig reduced = reduce(rig, {.influences = 3, .method = method}).value;
    const Matrix expected = to_matrix(reduced);
    for (std::size_t k = 0; k < result.values.size(); ++k) EXPECT_NEAR(result.values[k], expected.values[k], 1e-6);
  }
}

TEST(ReduceMatrix, WeightsMayBeNegative) {
  const Rig rig = dense_rigs()[1];
  Matrix signed_weights = to_matrix(rig);
  Random random(3);
  for (std::size_t i = 0; i < signed_weights.rows; ++i) {
    const auto change = float(random.uniform(-0.4, 0.4));
    signed_weights.row(i)[0] += change;
    signed_weights.row(i)[3] -= change;
  }
  for (const ReduceMethod method : {ReduceMethod::klargest, ReduceMethod::smooth}) {
    const Matrix result = reduce(signed_weights, rig.mesh, {.influences = 3, .method = method}).value;
    expect_rows(result, 3);
    EXPECT_TRUE(std::ranges::any_of(result.values, [](float w) { return w < 0; }));
    EXPECT_TRUE(std::ranges::all_of(result.values, [](float w) { return std::abs(w) < 10; }));
  }
}

TEST(ReduceMatrix, WhatIsLeftMayCancel) {
  const Mesh mesh{.positions = {{0, 0, 0}, {1, 0, 0}},
                  .face_offsets = {},
                  .face_vertices = {},
                  .uvs = {},
                  .corner_uvs = {},
                  .normals = {},
                  .corner_normals = {}};
  const Matrix weights{2, 4, {2, -2, 0.5, 0.5, 1, 0, 0, 0}};
  const Matrix result = reduce(weights, mesh, {.influences = 2, .method = ReduceMethod::klargest}).value;
  EXPECT_EQ(result, (Matrix{2, 4, {2.5, -1.5, 0, 0, 1, 0, 0, 0}}));
  EXPECT_EQ(reduce(weights, mesh, {.influences = 4, .method = ReduceMethod::smooth}).value, weights);
}

TEST(ReduceMatrix, RefusesWhatCannotBe) {
  const Rig rig = dense_rigs()[1];
  const Matrix weights = to_matrix(rig);
  const ReduceOptions klargest{.influences = 2, .method = ReduceMethod::klargest};
  expect_error(ErrorCode::bad_request, {"method", "klargest or smooth"}, [&] { reduce(weights, rig.mesh, {}); });
  expect_error(ErrorCode::bad_request, {"influences"},
               [&] { reduce(weights, rig.mesh, {.influences = 0, .method = ReduceMethod::klargest}); });
  Matrix fewer{weights.rows - 1, weights.columns, weights.values};
  expect_error(ErrorCode::bad_input, {"row per vertex"}, [&] { reduce(fewer, rig.mesh, klargest); });
  Matrix heavy = weights;
  heavy.row(7)[1] += 0.5F;
  expect_error(ErrorCode::bad_input, {"row 7", "1.5"}, [&] { reduce(heavy, rig.mesh, klargest); });
  heavy.row(7)[1] = std::numeric_limits<float>::quiet_NaN();
  expect_error(ErrorCode::bad_input, {"row 7"}, [&] { reduce(heavy, rig.mesh, klargest); });
}

}  // namespace
}  // namespace marrow
