// What compress() promises, on generated rigs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/shapes.hpp"
#include "two_layer/layers.hpp"

namespace marrow {
namespace {

using testing::blended_rows;
using testing::delta_w;
using testing::dense_rigs;
using testing::dense_rows;
using testing::expect_layers;
using testing::noisy_target;
using testing::smooth_rig;
using testing::smooth_rigs;

TEST(TwoLayerCompress, BothLayersAreAffineSparseAndWithinTheBudget) {
  std::vector<Rig> rigs = dense_rigs();
  rigs.push_back(smooth_rig(synthetic::arm({.vertices = 200, .frames = 4})));
  for (const Rig& rig : rigs) {
    for (const double budget : {1.1, 2.0, 4.0, 8.0}) {
      for (const std::size_t coefficients : {0U, 2U, 4U}) {
        const std::size_t cardinality = coefficients == 2 ? 3 : 0;
        SCOPED_TRACE(fmt::format("{} vertices, {} per vertex, {} coefficients", rig.vertices(), budget, coefficients));
        const CompressOptions options{.bones_per_vertex = budget,
                                      .coefficients = coefficients,
                                      .cardinality = cardinality,
                                      .effort = Effort::fast};
        const std::size_t most = coefficients > 0 ? coefficients : budget < 6 ? 3 : 4;
        expect_layers(compress(rig, options).value, options, most);
      }
    }
  }
}

TEST(TwoLayerCompress, ThePosesKeepToTheSameRules) {
  for (const Rig& rig : dense_rigs()) {
    const Sequence target = noisy_target(rig);
    for (const bool any_sign : {false, true}) {
      for (const CompressOptions& options :
           {CompressOptions{.bones_per_vertex = 3, .any_sign = any_sign},
            CompressOptions{.bones_per_vertex = 5, .coefficients = 4, .cardinality = 2, .any_sign = any_sign},
            CompressOptions{.virtual_bones = 17, .any_sign = any_sign}}) {
        expect_layers(compress(rig, options, &target).value, options, std::max<std::size_t>(options.coefficients, 3));
      }
    }
  }
}

TEST(TwoLayerCompress, ThePaperHasTwoCoefficients) {
  for (const Rig& rig : dense_rigs()) {
    for (const std::size_t cardinality : {0U, 5U}) {
      for (const double budget : {2.1, 4.0, 8.0}) {
        CompressOptions options{
            .bones_per_vertex = budget, .method = CompressMethod::paper, .cardinality = cardinality};
        const TwoLayerRig result = compress(rig, options).value;
        // It has no fewer than two atoms, and no say in how large they are: on small meshes these may be too many.
        const double least = 2 + 2 * double(rig.bones()) / double(rig.vertices());
        options.bones_per_vertex = std::max(budget, least);
        expect_layers(result, options, 2);
      }
    }
  }
}

TEST(TwoLayerCompress, VirtualBonesAreAtMostAsMany) {
  for (const Rig& rig : dense_rigs()) {
    for (const CompressMethod method : {CompressMethod::refined, CompressMethod::paper}) {
      for (const std::size_t count : {1U, 2U, 3U, 40U, 100000U}) {
        if (method == CompressMethod::paper && count == 1) continue;
        const CompressOptions options{
            .virtual_bones = count, .method = method, .cardinality = count == 2 ? 4U : 0U, .effort = Effort::fast};
        const TwoLayerRig result = compress(rig, options).value;
        SCOPED_TRACE(fmt::format("{} virtual bones, method {}", count, int(method)));
        expect_layers(result, options, method == CompressMethod::paper ? 2 : 4);
        if (count == 40) {
          EXPECT_GE(result.virtual_bone_count(), 30U);
        }
      }
    }
  }
}

TEST(TwoLayerCompress, RefinedIsBelowThePaper) {
  for (const Rig& rig : smooth_rigs()) {
    for (const double budget : {3.0, 4.0, 8.0}) {
      const TwoLayerRig refined = compress(rig, {.bones_per_vertex = budget}).value;
      const TwoLayerRig paper = compress(rig, {.bones_per_vertex = budget, .method = CompressMethod::paper}).value;
      EXPECT_LE(refined.bones_per_vertex(), budget);
      EXPECT_LT(weight_error(rig.weights, refined), 0.8 * weight_error(rig.weights, paper))
          << rig.vertices() << " vertices at " << budget;
    }
  }
}

TEST(TwoLayerCompress, BothAreFarBelowTheLargestWeights) {
  for (const Rig& rig : smooth_rigs()) {
    const Rig largest = reduce(rig, {.influences = 4, .method = ReduceMethod::klargest}).value;
    const double error = delta_w(dense_rows(rig.weights, rig.bones()), dense_rows(largest.weights, rig.bones()));
    EXPECT_LT(weight_error(rig.weights, compress(rig).value), error / 4);
    EXPECT_LT(weight_error(rig.weights, compress(rig, {.method = CompressMethod::paper}).value), error / 2);
  }
}

TEST(TwoLayerCompress, AnySignAndMoreEffortDoNotHurt) {
  for (const Rig& rig : smooth_rigs()) {
    const auto error = [&](const CompressOptions& options) {
      return weight_error(rig.weights, compress(rig, options).value);
    };
    const double normal = error({});
    EXPECT_LT(error({.any_sign = true}), 1.02 * normal);
    EXPECT_LT(error({.effort = Effort::best}), normal);
    EXPECT_LT(normal, 1.05 * error({.effort = Effort::fast})) << "where few vertices have neighbours, there is a draw";
  }
}

TEST(TwoLayerCompress, PosesLowerTheErrorOnThem) {
  for (const Rig& rig : smooth_rigs()) {
    const Sequence target = noisy_target(rig);
    for (const double budget : {3.0}) {
      const TwoLayerRig without = compress(rig, {.bones_per_vertex = budget}).value;
      const TwoLayerRig with = compress(rig, {.bones_per_vertex = budget}, &target).value;
      EXPECT_LT(compare(target, with).e_rms, compare(target, without).e_rms);
      // And of the rig's own frames, which can be reached.
      const Sequence own = bake(rig);
      const double e = compare(own, compress(rig, {.bones_per_vertex = budget}, &own).value).e_rms;
      EXPECT_LT(e, 0.9 * compare(own, without).e_rms);
    }
  }
}

TEST(TwoLayerCompress, SignsNeverHurtOnPoses) {
  for (const Rig& rig : {smooth_rigs()[1], dense_rigs()[0]}) {
    const Sequence target = noisy_target(rig), own = bake(rig);
    for (const Sequence* poses : {&target, &own}) {
      const double convex = compare(*poses, compress(rig, {.bones_per_vertex = 3}, poses).value).e_rms;
      const double any = compare(*poses, compress(rig, {.bones_per_vertex = 3, .any_sign = true}, poses).value).e_rms;
      EXPECT_LE(any, convex * (1 + 1e-4));
    }
  }
}

TEST(TwoLayerCompress, ReachesAnError) {
  for (const Rig& rig : {smooth_rigs()[1], dense_rigs()[0]}) {
    double last = 0;
    for (const double wanted : {20.0, 4.0}) {
      const Result<TwoLayerRig> result = compress(rig, {.error = wanted});
      EXPECT_EQ(result.report.status, Status::done);
      const double reached = weight_error(rig.weights, result.value);
      const double bones = result.value.bones_per_vertex();
      EXPECT_LE(reached, wanted);
      EXPECT_GE(bones, last) << "a smaller error needs no fewer bones";
      last = bones;
      // The search ends where steps are 1.6^(1/16), or 2.5^(1/16) below 2.5: a tenth fewer must not do.
      const TwoLayerRig fewer = compress(rig, {.bones_per_vertex = 0.9 * bones}).value;
      EXPECT_GT(weight_error(rig.weights, fewer), wanted) << bones << " bones per vertex for " << wanted;
    }
  }
}

TEST(TwoLayerCompress, LargeErrorsNeedFewBones) {
  const Rig rig = smooth_rigs()[1];
  for (const CompressMethod method : {CompressMethod::refined, CompressMethod::paper}) {
    const Result<TwoLayerRig> result = compress(rig, {.error = 60, .method = method});
    EXPECT_EQ(result.report.status, Status::done);
    EXPECT_LE(weight_error(rig.weights, result.value), 60);
    EXPECT_LT(result.value.bones_per_vertex(), method == CompressMethod::refined ? 1.3 : 2.1);
  }
}

TEST(TwoLayerCompress, ReachesAnErrorOnPoses) {
  const Rig rig = smooth_rigs()[1];
  const Sequence own = bake(rig);
  const Result<TwoLayerRig> result = compress(rig, {.error = 2}, &own);
  EXPECT_EQ(result.report.status, Status::done);
  EXPECT_LE(compare(own, result.value).e_rms, 2);
  EXPECT_LT(result.value.bones_per_vertex(), 5);
}

TEST(TwoLayerCompress, SaysWhereAnErrorIsOutOfReach) {
  const Rig rig = dense_rigs()[1];
  const Sequence target = noisy_target(rig);
  const Result<TwoLayerRig> weights = compress(rig, {.error = 1e-12});
  EXPECT_EQ(weights.report.status, Status::quality_missed);
  EXPECT_LT(weight_error(rig.weights, weights.value), 0.01) << "the best that there is";
  const Result<TwoLayerRig> poses = compress(rig, {.error = 1e-4}, &target);
  EXPECT_EQ(poses.report.status, Status::quality_missed);
  const Result<TwoLayerRig> paper = compress(rig, {.error = 1e-12, .method = CompressMethod::paper});
  EXPECT_EQ(paper.report.status, Status::quality_missed);
  validate(paper.value);
}

void expect_same_for_all_threads(const Rig& rig, const CompressOptions& options, const Sequence* poses) {
  marrow::Run run;
  run.threads = 1;
  const TwoLayerRig one = compress(rig, options, poses, run).value;
  run.threads = 7;
  EXPECT_EQ(compress(rig, options, poses, run).value, one);
}

TEST(TwoLayerCompress, ThreadsDoNotChangeTheResult) {
  // Enough for several blocks of vertices.
  const Rig rig = testing::with_dense_weights(synthetic::arm({.vertices = 1100, .frames = 4}), 6);
  const Rig small = testing::with_dense_weights(synthetic::arm({.vertices = 350, .frames = 4}), 6);
  const Sequence target = noisy_target(small);
  expect_same_for_all_threads(rig, {.effort = Effort::fast}, nullptr);
  expect_same_for_all_threads(rig, {.bones_per_vertex = 8, .effort = Effort::fast}, nullptr);
  expect_same_for_all_threads(rig, {.method = CompressMethod::paper}, nullptr);
  expect_same_for_all_threads(small, {.effort = Effort::best}, nullptr);
  expect_same_for_all_threads(small, {.any_sign = true, .effort = Effort::fast}, &target);
}

TEST(TwoLayerCompress, TheRestOfTheRigStaysAndThePlainSkinHasFourInfluences) {
  const Rig rig = dense_rigs()[0];
  const Result<TwoLayerRig> result = compress(rig);
  EXPECT_EQ(result.value.rig, reduce(rig, {.influences = 4}).value);
  const auto figure = [&](const std::string& name) {
    for (const auto& [key, value] : result.report.figures) {
      if (key == name) return value;
    }
    return -1.0;
  };
  EXPECT_EQ(figure("bones_per_vertex"), result.value.bones_per_vertex());
  EXPECT_EQ(figure("virtual_bones"), double(result.value.virtual_bone_count()));
  EXPECT_EQ(figure("bytes"), double(storage(result.value)));
  const Rig few = synthetic::quadruped({.vertices = 300, .frames = 4});
  EXPECT_EQ(compress(few).value.rig, few) << "nothing to reduce";
}

TEST(TwoLayerCompress, StopsWhenAsked) {
  const Rig rig = dense_rigs().front();
  for (const CompressMethod method : {CompressMethod::refined, CompressMethod::paper}) {
    std::stop_source source;
    source.request_stop();
    marrow::Run run;
    run.stop = source.get_token();
    testing::expect_error(ErrorCode::stopped, {}, [&] { compress(rig, {.method = method}, nullptr, run); });
  }
}

}  // namespace
}  // namespace marrow
