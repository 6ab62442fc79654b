// Weights without bones, and what is refused.
#include <gtest/gtest.h>

#include <limits>

#include "support/expect_error.hpp"
#include "two_layer/layers.hpp"

namespace marrow {
namespace {

using testing::blended_rows;
using testing::delta_w;
using testing::dense_rows;
using testing::expect_error;
using testing::Rows;
using testing::to_matrix;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

Rig arm_rig() {
  return testing::smooth_rig(synthetic::arm({.vertices = 300, .frames = 6}));
}

TEST(TwoLayerMatrix, ConvexWeightsAreCompressedAsThoseOfARig) {
  const Rig rig = arm_rig();
  const Matrix weights = to_matrix(dense_rows(rig.weights, rig.bones()));
  for (const CompressMethod method : {CompressMethod::refined, CompressMethod::paper}) {
    const TwoLayerRig result = compress(weights, rig.mesh, {.method = method}).value;
    const TwoLayerRig expected = compress(rig, {.method = method}).value;
    testing::expect_layers(result, {.method = method}, 3);
    EXPECT_EQ(result.rig.bones(), rig.bones());
    EXPECT_EQ(result.rig.frames(), 0U);
    EXPECT_LE(result.rig.weights.max_influences(), 4U);
    // Rows are divided by their sums first, so the two may differ in the last digits, and then in more.
    EXPECT_NEAR(weight_error(rig.weights, result), weight_error(rig.weights, expected),
                0.2 * weight_error(rig.weights, expected));
  }
}

TEST(TwoLayerMatrix, NegativeWeightsMakeLayersOfAnySign) {
  const Rig rig = arm_rig();
  Rows rows = dense_rows(rig.weights, rig.bones());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double change = 0.3 * std::sin(8 * double(rig.mesh.positions[i].x) / size_of(rig.mesh.positions));
    rows[i][0] += change;
    rows[i][3] -= change;
  }
  const Matrix weights = to_matrix(rows);
  ASSERT_TRUE(std::ranges::any_of(weights.values, [](float w) { return w < 0; }));
  for (const CompressMethod method : {CompressMethod::refined, CompressMethod::paper}) {
    const CompressOptions options{.method = method, .any_sign = true};
    const TwoLayerRig result = compress(weights, rig.mesh, {.method = method}).value;
    testing::expect_layers(result, options, 3);
    EXPECT_FALSE(is_convex(result.virtual_bones) && is_convex(result.weights));
    EXPECT_LT(delta_w(blended_rows(result), rows), 5);
    for (const Blends* layer : {&result.virtual_bones, &result.weights}) {
      EXPECT_TRUE(std::ranges::all_of(layer->values, [](float v) { return std::abs(v) < 100; }));
    }
    validate(result.rig);
  }
  const Result<TwoLayerRig> exact = compress(weights, rig.mesh, {.error = 1});
  EXPECT_EQ(exact.report.status, Status::done);
  EXPECT_LE(delta_w(blended_rows(exact.value), rows), 1.001);
}

TEST(TwoLayerMatrix, RefusesWhatIsNoMatrixOfWeights) {
  const Rig rig = arm_rig();
  const Matrix weights = to_matrix(dense_rows(rig.weights, rig.bones()));
  const auto refused = [&](std::initializer_list<std::string> parts, const Matrix& bad, const Mesh& mesh) {
    expect_error(ErrorCode::bad_input, parts, [&] { compress(bad, mesh); });
  };
  Matrix bad = weights;
  bad.values.resize(bad.values.size() - bad.columns);
  --bad.rows;
  refused({"weights", "row per vertex"}, bad, rig.mesh);
  bad = weights;
  bad.values.pop_back();
  refused({"weights"}, bad, rig.mesh);
  refused({"weights", "column per bone"}, {weights.rows, 0, {}}, rig.mesh);
  bad = weights;
  bad.row(7)[1] += 0.5F;
  refused({"row 7", "sums to 1."}, bad, rig.mesh);
  bad.row(7)[1] = std::numeric_limits<float>::quiet_NaN();
  refused({"row 7"}, bad, rig.mesh);
  bad.row(7)[1] = std::numeric_limits<float>::infinity();
  refused({"row 7"}, bad, rig.mesh);
  refused({"no vertices"}, {}, {});
  Mesh broken = rig.mesh;
  broken.face_vertices[0] = 1000000;
  refused({}, weights, broken);
}

TEST(TwoLayerRequests, NonsenseIsRefusedWithItsRemedy) {
  const Rig rig = arm_rig();
  const auto refused = [&](std::initializer_list<std::string> parts, const CompressOptions& options) {
    expect_error(ErrorCode::bad_request, parts, [&] { compress(rig, options); });
  };
  const char* one_of = "give only one of bones_per_vertex, virtual_bones and error";
  refused({"virtual_bones", one_of}, {.bones_per_vertex = 4, .virtual_bones = 10});
  refused({"error", one_of}, {.bones_per_vertex = 4, .error = 1});
  refused({"error", one_of}, {.virtual_bones = 10, .error = 1});
  refused({"error", one_of}, {.bones_per_vertex = 3, .virtual_bones = 10, .error = 1});
  for (const double nonsense : {-4.0, 0.0, 0.5, 1.0, infinite, nan_value}) {
    refused({"bones_per_vertex", "above 1"}, {.bones_per_vertex = nonsense});
  }
  for (const double nonsense : {-1.0, 0.0, infinite, nan_value}) {
    refused({"error", "above 0"}, {.error = nonsense});
  }
  refused({"bones_per_vertex", "0.5"}, {.bones_per_vertex = 0.5});
  refused({"virtual_bones", "from 1"}, {.virtual_bones = 0});
  refused({"coefficients", "2 to 4"}, {.coefficients = 1});
  refused({"coefficients", "5"}, {.coefficients = 5});
  refused({"coefficients", "paper"}, {.method = CompressMethod::paper, .coefficients = 3});
  refused({"bones_per_vertex", "more than 2"}, {.bones_per_vertex = 2, .method = CompressMethod::paper});
  refused({"virtual_bones", "at least 2"}, {.virtual_bones = 1, .method = CompressMethod::paper});
}

TEST(TwoLayerRequests, TargetsMustFitTheRig) {
  const Rig rig = arm_rig();
  const Sequence target = bake(rig), fewer = slice(target, 0, 3);
  expect_error(ErrorCode::bad_input, {"poses", "3 frames"}, [&] { compress(rig, {}, &fewer); });
  const Sequence other = synthetic::jelly({.vertices = 100, .frames = 6});
  expect_error(ErrorCode::bad_input, {"poses", "vertices"}, [&] { compress(rig, {}, &other); });
  expect_error(ErrorCode::bad_request, {"poses", "paper"},
               [&] { compress(rig, {.method = CompressMethod::paper}, &target); });
  Rig still = rig;
  still.motion = {{}, rig.bones(), {}};
  expect_error(ErrorCode::bad_input, {"poses"}, [&] { compress(still, {}, &target); });
  Sequence broken = target;
  broken.positions[5].x = std::numeric_limits<float>::quiet_NaN();
  expect_error(ErrorCode::bad_input, {}, [&] { compress(rig, {}, &broken); });
  expect_error(ErrorCode::bad_input, {"no vertices"}, [] { compress(Rig{}); });
  Rig heavy = rig;
  heavy.weights.values[0] += 1;
  expect_error(ErrorCode::bad_input, {}, [&] { compress(heavy); });
}

TEST(TwoLayerRequests, AreKeptInTheReport) {
  const Result<TwoLayerRig> result = compress(arm_rig(), {.virtual_bones = 9, .effort = Effort::fast});
  const auto setting = [&](const std::string& name) {
    for (const auto& [key, value] : result.report.settings) {
      if (key == name) return value;
    }
    return Setting{false};
  };
  EXPECT_EQ(setting("virtual_bones"), Setting{std::int64_t(9)});
  EXPECT_EQ(setting("method"), Setting{std::string("refined")});
  EXPECT_EQ(setting("effort"), Setting{std::string("fast")});
  EXPECT_EQ(value_of("paper", compress_method_names()), CompressMethod::paper);
}

}  // namespace
}  // namespace marrow
