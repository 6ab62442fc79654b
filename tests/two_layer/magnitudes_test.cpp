// Weights that are large and cancel, as those of some cages do, and weights that are no weights.
#include <gtest/gtest.h>

#include <limits>

#include "marrow/io.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "two_layer/layers.hpp"

namespace marrow {
namespace {

using testing::expect_error;

constexpr ReduceOptions two_largest{.influences = 2, .method = ReduceMethod::klargest};

/// Rows of three weights, the first of which is `large` and cancelled by the second.
Matrix cancelling(std::size_t rows, float large) {
  Matrix matrix{rows, 3, {}};
  for (std::size_t i = 0; i < rows; ++i) {
    const float part = 0.5F + 0.5F * float(i) / float(rows);
    matrix.values.insert(matrix.values.end(), {large * part, 1 - large * part - 0.25F, 0.25F});
  }
  return matrix;
}

TEST(TwoLayerMagnitudes, RowsAreJudgedByWhatTheirValuesCanHold) {
  // Floats of this size are 1/512 apart: no sum of them is 1 within 1e-4.
  validate(Blends{{0, 3}, {0, 1, 2}, {30000.3F, -29999.5F, 0.2F}}, 3);
  const Blends off{{0, 2}, {0, 1}, {30000, -29990}};
  expect_error(ErrorCode::bad_input, {"row 0", "sums to 10"}, [&] { validate(off, 2); });
}

TEST(TwoLayerMagnitudes, LargeWeightsThatCancelAreCompressedAndWritten) {
  const Mesh mesh = synthetic::arm({.vertices = 100, .frames = 2}).mesh;
  const auto file = testing::output_folder() / "cage.glb";
  for (const float large : {10.F, 1000.F, 20000.F}) {
    const TwoLayerRig rig = compress(cancelling(mesh.vertices(), large), mesh, {.effort = Effort::fast}).value;
    validate(rig);
    EXPECT_LE(rig.bones_per_vertex(), 4) << large;
    write_glb(Model(rig), file);
    EXPECT_NO_THROW(read_model(file)) << large;
  }
}

TEST(TwoLayerMagnitudes, WhatIsNoWeightIsRefusedWithItsRow) {
  const Mesh mesh = synthetic::arm({.vertices = 60, .frames = 2}).mesh;
  const auto refused = [&](float bad, const std::string& part) {
    Matrix weights = cancelling(mesh.vertices(), 2);
    weights.row(5)[0] = bad;
    weights.row(5)[1] = 1 - bad - 0.25F;
    expect_error(ErrorCode::bad_input, {"row 5", part}, [&] { compress(weights, mesh); });
    expect_error(ErrorCode::bad_input, {"row 5", part}, [&] { reduce(weights, mesh, two_largest); });
  };
  refused(3e6F, "1e+06");
  refused(1e30F, "1e+06");
  refused(std::numeric_limits<float>::infinity(), "finite");
  refused(std::numeric_limits<float>::quiet_NaN(), "finite");
}

}  // namespace
}  // namespace marrow
