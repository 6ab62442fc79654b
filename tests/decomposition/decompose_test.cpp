#include "marrow/decompose.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "decomposition/sound.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"
#include "marrow/io.hpp"
#include "marrow/metrics.hpp"
#include "marrow/synthetic.hpp"
#include "metrics/tree_difference.hpp"
#include "support/ceilings.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/quality.hpp"
#include "support/real_rigs.hpp"

namespace marrow {
namespace {

using testing::expect_sound;

TEST(Decompose, FindsTheBonesOfSyntheticRigs) {
  const synthetic::Options options{.vertices = 1500, .frames = 30};
  for (const Rig& truth : {synthetic::bar(options), synthetic::shells(options)}) {
    const Sequence sequence = bake(truth);
    const Result<Rig> result = decompose(sequence, {.bones = truth.bones()});
    expect_sound(result.value, truth.bones(), 4);
    EXPECT_LT(compare(sequence, result.value).e_rms, 0.25) << truth.bones() << " bones";
  }
}

/// Larger ones, and the quadruped, are in bench/tables/known_answers.cpp.
TEST(Decompose, KnownAnswersAreRecovered) {
  MARROW_JUDGES_QUALITY();
  const synthetic::Options small{.vertices = 300, .frames = 15};
  for (const Rig& truth : {synthetic::bar(small), synthetic::arm(small), synthetic::shells(small)}) {
    SCOPED_TRACE(fmt::format("{} bones", truth.bones()));
    const Sequence sequence = bake(truth);
    const Rig found = decompose(sequence, {.bones = truth.bones(), .smooth = 0, .effort = Effort::best}).value;
    EXPECT_LE(compare(sequence, found).e_rms, 0.01);
    EXPECT_LT(weight_difference(truth, found), 0.02);
  }
}

TEST(Decompose, MoreEffortIsNotWorseAndMoreBonesAreBetter) {
  const Sequence sequence = synthetic::jelly({.vertices = 800, .frames = 20});
  const auto error = [&](std::size_t bones, Effort effort) {
    return compare(sequence, decompose(sequence, {.bones = bones, .effort = effort}).value).e_rms;
  };
  EXPECT_LE(error(8, Effort::normal), 1.02 * error(8, Effort::fast));
  EXPECT_LT(error(16, Effort::fast), 0.8 * error(8, Effort::fast));
}

TEST(Decompose, SolverAndJudgeAgree) {
  const Sequence sequence = synthetic::cape({.vertices = 600, .frames = 20});
  const Result<Rig> result = decompose(sequence, {.bones = 6, .smooth = 0});
  EXPECT_NEAR(result.report.error_curve.back(), compare(sequence, result.value).e_rms,
              0.02 * result.report.error_curve.back());
  EXPECT_TRUE(std::ranges::is_sorted(result.report.error_curve, std::ranges::greater()));
}

TEST(Decompose, SameBytesForAnyThreadCount) {
  const Sequence sequence = synthetic::cape({.vertices = 700, .frames = 12});
  const Rig one = decompose(sequence, {.bones = 7}, {.threads = 1}).value;
  for (const int threads : {2, 7}) EXPECT_EQ(decompose(sequence, {.bones = 7}, {.threads = threads}).value, one);
}

TEST(Decompose, SearchesSideBySideGiveTheSameBytesForAnyThreadCount) {
  const Sequence sequence = synthetic::cape({.vertices = 150, .frames = 6});
  const DecomposeOptions options{.bones = 3, .effort = Effort::best};
  const Rig one = decompose(sequence, options, {.threads = 1}).value;
  for (const int threads : {2, 7}) EXPECT_EQ(decompose(sequence, options, {.threads = threads}).value, one);
}

TEST(Decompose, StopsWhenAsked) {
  std::stop_source source;
  const marrow::Run run{.stop = source.get_token(), .progress = [&](const Progress&) { source.request_stop(); }};
  const Sequence sequence = synthetic::jelly({.vertices = 500, .frames = 10});
  EXPECT_THROW(decompose(sequence, {.bones = 8}, run), Error);
}

TEST(Decompose, RealSequencesStayBelowTheirCeilings) {
  MARROW_JUDGES_QUALITY();
  MARROW_NEEDS_SHARED(shared);
  for (const testing::Ceiling& row : testing::read_ceilings("decompose_ceilings.txt")) {
    const Sequence sequence = testing::real_sequence(shared, row.text("dataset"));
    const DecomposeOptions options{.bones = row.count("bones"),
                                   .kind = *value_of(row.text("kind"), bone_kind_names()),
                                   .rest_pose = *value_of(row.text("rest-pose"), rest_pose_names()),
                                   .smooth = 0,
                                   .effort = *value_of(row.text("effort"), effort_names())};
    const Rig rig = decompose(sequence, options).value;
    EXPECT_EQ(rig.bones(), options.bones) << row.line;
    testing::expect_below(row, compare(sequence, rig).e_rms);
  }
}

TEST(Decompose, MoreFreedomIsMoreExact) {
  const Sequence sequence = synthetic::jelly({.vertices = 600, .frames = 16});
  double last = 1e9;
  for (const BoneKind kind : {BoneKind::rigid, BoneKind::scale, BoneKind::stretch, BoneKind::flexible}) {
    const Rig rig = decompose(sequence, {.bones = 6, .kind = kind, .smooth = 0}).value;
    validate(rig);
    const double error = compare(sequence, rig).e_rms;
    EXPECT_LT(error, last) << "kind " << int(kind);
    last = error;
  }
}

/// By how much the linear part M stretches at most and at least: its largest and smallest singular value, the roots of
/// the extreme eigenvalues of G = M^T M. Power iteration on G finds the largest, c; on 1.001 c I - G, the smallest.
std::pair<double, double> scales(const Affine& m) {
  double gram[3][3] = {};
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t k = 0; k < 3; ++k) gram[r][c] += m(k, r) * m(k, c);
    }
  }
  const auto largest = [](const double g[3][3]) {
    double v[3] = {1, 0.7, 0.4}, value = 0;
    for (int pass = 0; pass < 200; ++pass) {
      double next[3] = {}, norm = 0;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) next[r] += g[r][c] * v[c];
        norm += next[r] * next[r];
      }
      value = std::sqrt(norm);
      for (int r = 0; r < 3; ++r) v[r] = next[r] / value;
    }
    return value;
  };
  const double most = largest(gram);
  double flipped[3][3];
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) flipped[r][c] = (r == c ? 1.001 * most : 0) - gram[r][c];
  }
  return {std::sqrt(most), std::sqrt(std::max(0.0, 1.001 * most - largest(flipped)))};
}

TEST(Decompose, BonesThatScaleStayWithinTheLimit) {
  const Sequence sequence = synthetic::jelly({.vertices = 300, .frames = 12});
  for (const BoneKind kind : {BoneKind::scale, BoneKind::stretch, BoneKind::flexible}) {
    const Result<Rig> result =
        decompose(sequence, {.bones = 12, .kind = kind, .conditioning = 1.2, .effort = Effort::fast});
    for (const Affine& m : result.value.motion.transforms) {
      const auto [most, least] = scales(m);
      EXPECT_LT(most, 1.2 + 1e-6);
      EXPECT_GT(least, 1 / 1.2 - 1e-3);
      EXPECT_GT(determinant(m), 0);
    }
    EXPECT_EQ(result.report.figures.front().first, "conditioning_price_e_rms");
    EXPECT_GE(result.report.figures.front().second, 0);
  }
}

TEST(Decompose, RestPoseMovesOnlyWhenAllowedAndOnlySoFar) {
  const Sequence sequence = synthetic::cape({.vertices = 500, .frames = 16});
  const double size = size_of(sequence.mesh.positions);
  const auto solve = [&](RestPose rest_pose, double limit) {
    return decompose(sequence, {.bones = 6, .rest_pose = rest_pose, .rest_limit = limit, .smooth = 0}).value;
  };
  const Rig kept = solve(RestPose::keep, 0), once = solve(RestPose::once, 0), free = solve(RestPose::alternate, 0),
            limited = solve(RestPose::alternate, 0.002);
  EXPECT_EQ(kept.mesh.positions, sequence.mesh.positions);
  const auto moved = [&](const Rig& rig) {
    return std::ranges::max(vertex_errors(sequence.mesh.positions, rig.mesh.positions));
  };
  EXPECT_LE(moved(limited), 0.002 * size);
  EXPECT_GT(moved(free), 0.002 * size);
  const auto error = [&](const Rig& rig) { return compare(sequence, rig).e_rms; };
  EXPECT_LT(error(once), error(kept));
  EXPECT_LT(error(free), error(limited));
  EXPECT_LT(error(limited), error(kept));
}

/// Mean squared difference of the weights of vertices that share an edge.
double roughness(const Rig& rig) {
  double sum = 0;
  const auto pairs = edges(rig.mesh);
  for (const auto& [a, b] : pairs) {
    std::vector<double> gap(rig.bones(), 0);
    for (std::size_t k = 0; k < rig.weights.row_bones(a).size(); ++k) {
      gap[rig.weights.row_bones(a)[k]] += rig.weights.row_values(a)[k];
    }
    for (std::size_t k = 0; k < rig.weights.row_bones(b).size(); ++k) {
      gap[rig.weights.row_bones(b)[k]] -= rig.weights.row_values(b)[k];
    }
    for (const double g : gap) sum += g * g;
  }
  return sum / double(pairs.size());
}

TEST(Decompose, SmoothnessEvensWeightsForASmallPrice) {
  const Sequence sequence = synthetic::cape({.vertices = 900, .frames = 20});
  const Rig rough = decompose(sequence, {.bones = 8, .smooth = 0}).value,
            even = decompose(sequence, {.bones = 8}).value;
  EXPECT_LT(roughness(even), 0.8 * roughness(rough));
  EXPECT_LT(compare(sequence, even).e_rms, 1.05 * compare(sequence, rough).e_rms);
}

TEST(DecomposeCurve, FallsWithBonesAndAnyPointCanBeWritten) {
  const Sequence sequence = bake(synthetic::arm({.vertices = 500, .frames = 20}));
  const BoneCurve curve = bone_curve(sequence, {.bones = 12, .effort = Effort::fast}).value;
  ASSERT_EQ(curve.bones.size(), 12u);
  for (std::size_t k = 0; k < curve.bones.size(); ++k) EXPECT_EQ(curve.bones[k], k + 1);
  EXPECT_TRUE(std::ranges::is_sorted(curve.e_rms, std::ranges::greater()));
  const std::size_t knee = curve.knee();
  EXPECT_GT(knee, 0u);
  EXPECT_LT(knee, 11u);
  const Rig rig = decompose_from(sequence, curve.motions[5], {.smooth = 0, .effort = Effort::fast}).value;
  expect_sound(rig, 6, 4);
  EXPECT_LT(compare(sequence, rig).e_rms, 1.01 * curve.e_rms[5]);
}

TEST(DecomposeCurve, AsFewBonesAsAnErrorNeeds) {
  const Sequence sequence = bake(synthetic::arm({.vertices = 500, .frames = 20}));
  const DecomposeOptions options{.bones = 20, .smooth = 0, .effort = Effort::fast};
  const Result<Rig> result = decompose_to_error(sequence, 8, options);
  EXPECT_EQ(result.report.status, Status::done);
  EXPECT_LE(compare(sequence, result.value).e_rms, 8);
  EXPECT_LT(result.value.bones(), 10u);
  const Result<Rig> missed = decompose_to_error(sequence, 0.01, {.bones = 2, .effort = Effort::fast});
  EXPECT_EQ(missed.report.status, Status::quality_missed);
  EXPECT_EQ(missed.value.bones(), 2u);
}

TEST(DecomposePartly, WeightsAloneAreRecovered) {
  const Rig truth = synthetic::arm({.vertices = 400, .frames = 20});
  const Sequence sequence = bake(truth);
  const Rig bones{{}, truth.skeleton, {}, truth.motion};
  const Rig rig = fit_weights(sequence, bones, {.smooth = 0}).value;
  validate(rig);
  EXPECT_EQ(rig.mesh, sequence.mesh);
  EXPECT_EQ(rig.skeleton, truth.skeleton);
  EXPECT_EQ(rig.motion, truth.motion);
  EXPECT_LT(compare(sequence, rig).e_rms, 0.01);
}

TEST(DecomposePartly, WeightsNeedBonesThatFit) {
  Rig rig = synthetic::arm({.vertices = 400, .frames = 20});
  const Sequence sequence = bake(rig);
  const auto expect_refused = [](const std::string& message, const Sequence& s, const Rig& bones) {
    testing::expect_error(ErrorCode::bad_input, {message}, [&] { fit_weights(s, bones); });
  };
  expect_refused("the sequence has 19 frames", slice(sequence, 0, 19), rig);
  rig.skeleton = centroid_skeleton(rig.mesh, rig.weights, rig.bones() + 1);
  expect_refused("but the skeleton has", sequence, rig);
}

TEST(DecomposePartly, GivenBonesMayMoveNothing) {
  Rig truth = synthetic::arm({.vertices = 400, .frames = 20});
  const Sequence sequence = bake(truth);
  // A last bone that goes far away.
  const std::size_t bones = truth.bones();
  truth.skeleton.names.emplace_back("helper");
  truth.skeleton.parents.push_back(0);
  truth.skeleton.bind.emplace_back();
  Motion more{truth.motion.timeline, bones + 1, {}};
  for (std::size_t t = 0; t < more.frames(); ++t) {
    const auto frame = truth.motion.frame(t);
    more.transforms.insert(more.transforms.end(), frame.begin(), frame.end());
    more.transforms.push_back(Affine::translation(100 * double(t), 0, 0));
  }
  truth.motion = more;
  const Result<Rig> result = fit_weights(sequence, truth, {.smooth = 0});
  validate(result.value);
  EXPECT_EQ(result.value.skeleton, truth.skeleton);
  EXPECT_TRUE(std::ranges::none_of(result.value.weights.bones, [&](std::uint32_t j) { return j == bones; }));
  EXPECT_EQ(result.report.figures.front(), std::pair(std::string("bones_without_vertices"), 1.0));
  EXPECT_LT(compare(sequence, result.value).e_rms, 0.01);
}

TEST(DecomposePartly, MotionAloneIsRecovered) {
  Rig truth = synthetic::arm({.vertices = 400, .frames = 20});
  const Sequence sequence = bake(truth);
  Rig still = truth;
  for (Affine& m : still.motion.transforms) m = Affine{};
  EXPECT_GT(compare(sequence, still).e_rms, 10);
  const Rig rig = fit_motion(sequence, still).value;
  EXPECT_EQ(rig.weights, truth.weights);
  EXPECT_LT(compare(sequence, rig).e_rms, 0.05);
}

TEST(DecomposePartly, HeldOutFramesAreWorseButNotMuch) {
  const Sequence sequence = bake(synthetic::arm({.vertices = 500, .frames = 24}));
  const HeldOut held = hold_out(sequence, 0.5, {.bones = 8, .effort = Effort::fast}).value;
  EXPECT_EQ(held.seen, 12u);
  EXPECT_EQ(held.rig.frames(), 24u);
  validate(held.rig);
  EXPECT_GT(held.e_rms_unseen, 0);
  // All frames together: the mean of both halves' squares.
  EXPECT_NEAR(compare(sequence, held.rig).e_rms,
              std::sqrt(0.5 * (held.e_rms_seen * held.e_rms_seen + held.e_rms_unseen * held.e_rms_unseen)), 1e-3);
  EXPECT_THROW(hold_out(sequence, 1.5, {}), Error);
}

TEST(Decompose, KeepsTheBestWhenStopped) {
  std::stop_source source;
  const marrow::Run run{.stop = source.get_token(), .progress = [&](const Progress& p) {
                          if (p.stage == "moving bones") source.request_stop();
                        }};
  const Sequence sequence = synthetic::jelly({.vertices = 500, .frames = 10});
  const Result<Rig> result = decompose(sequence, {.bones = 8, .keep_best = true}, run);
  EXPECT_EQ(result.report.status, Status::stopped);
  expect_sound(result.value, 8, 4);
  const double early = compare(sequence, result.value).e_rms;
  EXPECT_LT(early, 1.5 * compare(sequence, decompose(sequence, {.bones = 8}).value).e_rms);
}

}  // namespace
}  // namespace marrow
