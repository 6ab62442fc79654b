#include "marrow/reduce.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reduction/dense_rig.hpp"
#include "support/expect_error.hpp"

namespace marrow {
namespace {

using testing::all_methods;
using testing::dense_rigs;
using testing::expect_error;
using testing::expect_reduced;
using testing::name_of;
using testing::noisy_target;
using testing::with_dense_weights;

TEST(Reduce, EveryMethodKeepsTheRules) {
  for (const Rig& rig : dense_rigs()) {
    const Sequence target = noisy_target(rig);
    for (const ReduceMethod method : all_methods()) {
      for (const std::size_t influences : {1, 2, 4}) {
        SCOPED_TRACE(fmt::format("{}, {} influences", name_of(method), influences));
        expect_reduced(reduce(rig, {.influences = influences, .method = method}).value, rig, influences);
        expect_reduced(reduce(rig, {.influences = influences, .method = method}, &target).value, rig, influences);
      }
    }
  }
}

/// Vertex by vertex, up to what floats can hold.
void expect_no_worse(const Sequence& original, const Rig& best_fit, const Rig& other) {
  const Metrics a = compare(original, best_fit), b = compare(original, other);
  for (std::size_t i = 0; i < a.vertices; ++i) {
    ASSERT_LE(a.per_vertex_rms[i], b.per_vertex_rms[i] * (1 + 1e-5) + 1e-6 * a.size) << "vertex " << i;
  }
  EXPECT_LE(a.e_rms, b.e_rms * (1 + 1e-6));
}

TEST(Reduce, OursIsNoWorseInAnyVertex) {
  for (const Rig& rig : dense_rigs()) {
    const Sequence noisy = noisy_target(rig), own = bake(rig);
    for (const Sequence* target : {static_cast<const Sequence*>(nullptr), &noisy}) {
      for (const std::size_t influences : {1, 2, 4}) {
        const Rig best_fit = reduce(rig, {.influences = influences}, target).value;
        for (const ReduceMethod method : all_methods()) {
          SCOPED_TRACE(fmt::format("{}, {} influences", name_of(method), influences));
          const Rig other = reduce(rig, {.influences = influences, .method = method}, target).value;
          expect_no_worse(target == nullptr ? own : noisy, best_fit, other);
        }
      }
    }
  }
}

TEST(Reduce, PosesHelpAndLaplaciansMakeFair) {
  const Rig rig = dense_rigs().front();
  const Sequence own = bake(rig);
  std::map<ReduceMethod, Metrics> judged;
  for (const ReduceMethod method : all_methods()) {
    judged[method] = compare(own, reduce(rig, {.influences = 2, .method = method}).value);
  }
  EXPECT_LT(judged[ReduceMethod::best_fit].e_rms, 0.9 * judged[ReduceMethod::klargest].e_rms);
  EXPECT_LT(judged[ReduceMethod::geometry].e_rms, judged[ReduceMethod::klargest].e_rms);
  EXPECT_LT(judged[ReduceMethod::poisson].fairness, 0.8 * judged[ReduceMethod::geometry].fairness);
  EXPECT_LT(judged[ReduceMethod::smooth].fairness, judged[ReduceMethod::klargest].fairness);
}

TEST(Reduce, EnoughInfluencesChangeNothing) {
  const Rig rig = with_dense_weights(synthetic::arm({.vertices = 200, .frames = 8}), 4);
  for (const ReduceMethod method : all_methods()) {
    for (const std::size_t influences : {4, 5, 100}) {
      EXPECT_EQ(reduce(rig, {.influences = influences, .method = method}).value, rig) << name_of(method);
    }
  }
  // With a target, other weights may be better; none is worse.
  const Sequence target = noisy_target(rig);
  const Rig fitted = reduce(rig, {.influences = 100}, &target).value;
  expect_no_worse(target, fitted, rig);
  EXPECT_LT(compare(target, fitted).e_rms, compare(target, rig).e_rms);
}

TEST(Reduce, RowsThatAreShortEnoughStay) {
  Rig rig = with_dense_weights(synthetic::arm({.vertices = 200, .frames = 8}), 6);
  // Vertex 0 follows two bones only.
  const std::uint32_t removed = rig.weights.offsets[1] - 2;
  rig.weights.bones.erase(rig.weights.bones.begin() + 2, rig.weights.bones.begin() + 2 + removed);
  rig.weights.values.erase(rig.weights.values.begin() + 2, rig.weights.values.begin() + 2 + removed);
  rig.weights.values[0] = 0.25F;
  rig.weights.values[1] = 0.75F;
  for (std::size_t i = 1; i < rig.weights.offsets.size(); ++i) rig.weights.offsets[i] -= removed;
  const Rig result = reduce(rig, {.influences = 3}).value;
  EXPECT_TRUE(std::ranges::equal(result.weights.row_bones(0), rig.weights.row_bones(0)));
  EXPECT_TRUE(std::ranges::equal(result.weights.row_values(0), rig.weights.row_values(0)));
}

TEST(Reduce, KLargestKeepsTheLargest) {
  const Rig rig = dense_rigs()[1];
  const Weights reduced = reduce(rig, {.influences = 2, .method = ReduceMethod::klargest}).value.weights;
  for (std::size_t i = 0; i < rig.vertices(); ++i) {
    std::vector<std::pair<float, std::uint32_t>> all;
    for (std::size_t a = 0; a < rig.bones(); ++a) {
      all.emplace_back(-rig.weights.row_values(i)[a], rig.weights.row_bones(i)[a]);
    }
    std::ranges::sort(all);
    ASSERT_EQ(reduced.row_bones(i).size(), 2U);
    for (std::size_t a = 0; a < 2; ++a) {
      const auto at = std::ranges::find(reduced.row_bones(i), all[a].second) - reduced.row_bones(i).begin();
      ASSERT_LT(at, 2);
      EXPECT_NEAR(reduced.row_values(i)[std::size_t(at)], all[a].first / (all[0].first + all[1].first), 1e-6);
    }
  }
}

TEST(Reduce, RefusesWhatCannotBe) {
  const Rig rig = dense_rigs()[1];
  expect_error(ErrorCode::bad_request, {"influences", "from 1"}, [&] { reduce(rig, {.influences = 0}); });
  const Sequence target = noisy_target(rig);
  const Sequence fewer = slice(target, 0, 3);
  expect_error(ErrorCode::bad_input, {"target", "3 frames"}, [&] { reduce(rig, {}, &fewer); });
  const Sequence other = synthetic::jelly({.vertices = 100, .frames = 12});
  expect_error(ErrorCode::bad_input, {"target", "vertices"}, [&] { reduce(rig, {}, &other); });
  expect_error(ErrorCode::bad_request, {"sample"}, [&] { reduce(rig, {.sample = 10}, &target); });
  expect_error(ErrorCode::bad_request, {"ranges"},
               [&] { reduce(rig, {.influences = 2, .ranges = default_ranges(rig.skeleton)}); });
  Rig still = rig;
  still.motion = {{}, rig.bones(), {}};
  expect_error(ErrorCode::bad_input, {"target"}, [&] { reduce(still, {}, &target); });
  expect_error(ErrorCode::bad_input, {}, [&] { reduce(Rig{}, {}); });
}

TEST(Reduce, ThreadsDoNotChangeTheResult) {
  const Rig rig = with_dense_weights(synthetic::quadruped({.vertices = 1200, .frames = 6}), 10);
  for (const ReduceMethod method : all_methods()) {
    marrow::Run run;
    run.threads = 1;
    const Rig one = reduce(rig, {.influences = 3, .method = method}, nullptr, run).value;
    run.threads = 7;
    EXPECT_EQ(reduce(rig, {.influences = 3, .method = method}, nullptr, run).value, one) << name_of(method);
  }
}

TEST(Reduce, StopsWhenAsked) {
  const Rig rig = dense_rigs().front();
  for (const ReduceMethod method : {ReduceMethod::best_fit, ReduceMethod::smooth, ReduceMethod::poisson}) {
    std::stop_source source;
    source.request_stop();
    marrow::Run run;
    run.stop = source.get_token();
    expect_error(ErrorCode::stopped, {}, [&] { reduce(rig, {.influences = 2, .method = method}, nullptr, run); });
  }
}

TEST(Reduce, RigsWithoutClipsAreSampled) {
  Rig rig = dense_rigs().front();
  rig.motion = {{}, rig.bones(), {}};
  EXPECT_EQ(reduction_poses(rig, {}).frames(), 100U);
  // What a file without clips is read as: every bone where it rests, in one frame.
  Rig resting = rig;
  resting.motion = {Timeline::uniform(1, 30), rig.bones(), std::vector<Affine>(rig.bones())};
  EXPECT_FALSE(tells_bones_apart(resting.motion));
  EXPECT_EQ(reduction_poses(resting, {}).frames(), 100U);
  EXPECT_EQ(reduce(resting, {.influences = 2}).value.weights, reduce(rig, {.influences = 2}).value.weights);
  const Motion poses = reduction_poses(rig, {.sample = 30});
  EXPECT_EQ(poses.frames(), 30U);
  Rig played = rig;
  played.motion = poses;
  const Sequence original = bake(played);
  double errors[2] = {};
  for (const ReduceMethod method : {ReduceMethod::best_fit, ReduceMethod::klargest}) {
    const Rig result = reduce(rig, {.influences = 2, .method = method, .sample = 30}).value;
    expect_reduced(result, rig, 2);
    played.weights = result.weights;
    errors[method == ReduceMethod::best_fit ? 0 : 1] = compare(original, played).e_rms;
  }
  EXPECT_LT(errors[0], 0.9 * errors[1]);
  const RangesOfMotion stiff{std::vector<JointRange>(rig.bones(), JointRange::even(0))};
  expect_reduced(reduce(rig, {.influences = 2, .ranges = stiff}).value, rig, 2);
}

TEST(Reduce, PosesMayBeFewOrSaySoLittle) {
  const Rig rig = dense_rigs().front();
  Rig one = slice(rig, 3, 1), still = slice(rig, 0, 4), flat = slice(rig, 0, 5);
  for (Affine& m : still.motion.transforms) m = {};
  for (Affine& m : flat.motion.transforms) m = {{0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3}};
  for (const Rig* poses : {&one, &still, &flat}) {
    for (const ReduceMethod method : all_methods()) {
      SCOPED_TRACE(name_of(method));
      expect_reduced(reduce(*poses, {.influences = 3, .method = method}).value, *poses, 3);
    }
  }
  // In one pose, four bones reach nearly every point that is a mixture of twenty.
  EXPECT_LT(compare(bake(one), reduce(one).value).e_rms,
            0.05 * compare(bake(one), reduce(one, {.method = ReduceMethod::klargest}).value).e_rms);
  const Rig single = slice(with_dense_weights(synthetic::bar({.vertices = 60, .frames = 4}), 2), 0, 4);
  expect_reduced(reduce(single, {.influences = 1}).value, single, 1);
}

TEST(Reduce, ANearlyFlatRestPoseIsNoTrouble) {
  Rig rig = dense_rigs()[1];
  for (Vec3& p : rig.mesh.positions) p = {1, 2, 3};
  for (const ReduceMethod method : all_methods()) {
    expect_reduced(reduce(rig, {.influences = 2, .method = method}).value, rig, 2);
  }
}

TEST(Reduce, PointCloudsAreFittedVertexByVertexWithAWarning) {
  Rig rig = dense_rigs()[1];
  rig.mesh.face_offsets.clear();
  rig.mesh.face_vertices.clear();
  rig.mesh.corner_uvs.clear();
  rig.mesh.corner_normals.clear();
  const Sequence own = bake(rig);
  for (const ReduceMethod method : {ReduceMethod::smooth, ReduceMethod::poisson}) {
    const Result<Rig> result = reduce(rig, {.influences = 2, .method = method});
    expect_reduced(result.value, rig, 2);
    ASSERT_EQ(result.report.warnings.size(), 1U);
    EXPECT_NE(result.report.warnings[0].find("no faces"), std::string::npos);
  }
  // Without neighbours, Poisson is geometry.
  const double poisson = compare(own, reduce(rig, {.influences = 2, .method = ReduceMethod::poisson}).value).e_rms;
  const double geometry = compare(own, reduce(rig, {.influences = 2, .method = ReduceMethod::geometry}).value).e_rms;
  EXPECT_NEAR(poisson, geometry, 1e-3 * geometry);
  EXPECT_TRUE(reduce(rig, {.influences = 2}).report.warnings.empty());
}

}  // namespace
}  // namespace marrow
