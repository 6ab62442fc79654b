// Where rest pose and motion follow the poses beside the layers.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "core/eigen_affine.hpp"
#include "core/factor.hpp"
#include "lbs/points.hpp"
#include "lbs/pose_problem.hpp"
#include "marrow/decompose.hpp"
#include "marrow/reduce.hpp"
#include "support/expect_error.hpp"
#include "two_layer/pose_atoms.hpp"
#include "two_layer/pose_refit.hpp"
#include "two_layer/problems.hpp"

namespace marrow::two_layer {
namespace {

using testing::expect_error;
using testing::expect_layers;

// ---- The parts ----

/// M_j of frame t, in doubles.
Eigen::Matrix<double, 3, 4> bone_at(const Rig& rig, std::size_t t, std::size_t j) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 4, Eigen::RowMajor>>(rig.motion.frame(t)[j].m.data());
}

/// A problem whose vertices may move in the rest pose, and have done so.
struct FreeProblem : PosedProblem {
  lbs::PoseProblem given;
  std::vector<double> rest;         ///< as it is now
  PoseMetric::RestFreedom freedom;  ///< at the codes that the problem starts with

  explicit FreeProblem(std::uint64_t seed)
      : PosedProblem(seed), given(rig, rig.motion, &target, {}), rest(given.points.rest), freedom{weights, rest, 0.05} {
    Random random(seed);
    for (double& x : rest) x += 0.01 * random.normal();
    for (std::size_t i = 0; i < weights.vertices; ++i) {
      const std::vector<double> x = blended(i);
      std::copy(x.begin(), x.end(), freedom.blends.values.begin() + std::ptrdiff_t(i * x.size()));
    }
    metric = PoseMetric(weights, given.factor, given.points, {}, &freedom);
  }
  FreeProblem(const FreeProblem&) = delete;
  FreeProblem& operator=(const FreeProblem&) = delete;

  /// Where vertex i is now, in the rig's units.
  Eigen::Vector3d position(std::size_t i) const {
    return given.space.radius * lbs::rest_of(rest, i) + given.space.rest_centre;
  }

  /// The least over all e of the sum over the frames of |sum_j x_j M_j u + sum_j b_j M_j (e, 0) - v|^2 and
  /// l |moved + e|^2, in radii, with l = |sum_j b_j M_j u - v|^2 / limit^2 and b the blends at the start.
  double least_error(std::size_t i, const std::vector<double>& x) const {
    const double radius = given.space.radius;
    const std::vector<double> b(freedom.blends.row(i), freedom.blends.row(i) + weights.bones);
    const Eigen::Vector3d u = position(i), moved = lbs::rest_of(rest, i) - lbs::rest_of(given.points.rest, i);
    const auto rows = Eigen::Index(3 * rig.frames());
    Eigen::MatrixXd moves = Eigen::MatrixXd::Zero(rows + 3, 3);
    Eigen::VectorXd residual(rows + 3);
    for (std::size_t t = 0; t < rig.frames(); ++t) {
      const auto row = Eigen::Index(3 * t);
      const Vec3& v = target.frame(t)[i];
      residual.segment<3>(row) = -Eigen::Vector3d(v.x, v.y, v.z) / radius;
      for (std::size_t j = 0; j < x.size(); ++j) {
        residual.segment<3>(row) += x[j] * bone_at(rig, t, j) * u.homogeneous() / radius;
        moves.middleRows<3>(row) += b[j] * bone_at(rig, t, j).leftCols<3>();
      }
    }
    const double stiffness = std::sqrt(in_span(i, b)) / freedom.limit;
    moves.bottomRows<3>() = stiffness * Eigen::Matrix3d::Identity();
    residual.tail<3>() = stiffness * moved;
    const Eigen::VectorXd e = moves.colPivHouseholderQr().solve(-residual);
    return (residual + moves * e).squaredNorm();
  }
  double energy() const {
    double sum = 0;
    for (std::size_t i = 0; i < weights.vertices; ++i) sum += least_error(i, blended(i));
    return sum;
  }

 private:
  /// The squared error of weights b, without the part of the target that the bones cannot reach.
  double in_span(std::size_t i, const std::vector<double>& b) const {
    const Eigen::Vector3d u = lbs::rest_of(rest, i);
    Eigen::VectorXd residual(Eigen::Index(given.rank()));
    for (std::size_t q = 0; q < given.rank(); ++q) {
      residual[Eigen::Index(q)] = -given.points.coordinate(i, q);
    }
    for (std::size_t j = 0; j < b.size(); ++j) {
      residual += b[j] * given.factor.middleCols<4>(Eigen::Index(4 * j)) * u.homogeneous();
    }
    return residual.squaredNorm();
  }
};

TEST(TwoLayerRefit, TheMetricHasTheBestRestPositionOfEveryVertex) {
  const FreeProblem problem(3);
  const std::size_t k = problem.weights.bones, stride = Differences::stride, count = problem.dictionary.atoms();
  GramScratch scratch;
  Gram gram;
  bool differs = false;
  for (std::size_t i = 0; i < problem.weights.vertices; i += 3) {
    Differences differences{count, std::vector<float>(k * stride)};
    const std::vector<double> w(problem.weights.row(i), problem.weights.row(i) + k);
    for (std::size_t c = 0; c < count; ++c) {
      for (std::size_t b = 0; b < k; ++b) {
        differences.values[b * stride + c] = problem.dictionary.row(c)[b] - problem.weights.row(i)[b];
      }
    }
    problem.metric.gram(i, differences, scratch, gram);
    for (std::size_t c = 0; c < count; ++c) {
      const std::vector<double> x(problem.dictionary.row(c), problem.dictionary.row(c) + k);
      const double at_x = problem.least_error(i, x), at_w = problem.least_error(i, w);
      const double fixed = pose_error(problem.rig, problem.target, i, x);
      ASSERT_NEAR(gram[c * stride + c], at_x - at_w, 1e-4 * fixed) << "vertex " << i;
      differs |= at_x < 0.5 * fixed;
    }
  }
  EXPECT_TRUE(differs) << "rest positions that change nothing test nothing";
}

TEST(TwoLayerRefit, SweepsNeverRaiseTheErrorWithTheBestRestPositions) {
  for_each_problem<FreeProblem>({1, 2, 3}, [](FreeProblem& problem, Sign sign) {
    PoseAtomDescent descent(problem.weights, problem.metric, problem.coding, problem.dictionary, sign, {});
    expect_falling_energy(descent, problem, sign, 6, [&] { return problem.energy(); });
  });
}

/// With few frames and with more than the bones' own coordinates.
TEST(TwoLayerRefit, UpdatesNeverRaiseTheError) {
  for (const Refit what : {Refit::rest, Refit::all}) {
    for (const std::size_t frames : {3U, 7U, 20U}) {
      SCOPED_TRACE(fmt::format("{} frames", frames));
      PosedProblem problem(2, frames);
      const marrow::Run run;
      const Rig given = problem.rig;
      PoseRefit refit(given, {given, given.motion, &problem.target, run}, problem.target, what, run);
      const double start = refit.error(problem.dictionary, problem.coding), start_energy = problem.energy();
      double last = start;
      for (int round = 0; round < 5; ++round) {
        refit.update(problem.dictionary, problem.coding);
        const double now = refit.error(problem.dictionary, problem.coding);
        ASSERT_LE(now, last * (1 + 1e-9)) << "round " << round;
        last = now;
      }
      EXPECT_LT(last, 0.99 * start);
      EXPECT_EQ(refit.transforms() == given.motion.transforms, what == Refit::rest);
      // As much as the frames themselves say, but for what its coordinates leave out.
      problem.rig.mesh.positions = refit.positions();
      problem.rig.motion.transforms = refit.transforms();
      const double radii =
          smallest_enclosing_ball(refit.positions()).radius / smallest_enclosing_ball(given.mesh.positions).radius;
      EXPECT_NEAR(start - last, start_energy - radii * radii * problem.energy(), 1e-2 * (start - last));
    }
  }
}

/// Results follow each other on the way to an error: each has its own rest pose and motion.
TEST(TwoLayerRefit, WhatDidNotMoveIsAsGiven) {
  const Problem problem(1);
  TwoLayerRig result{problem.rig, {}, {}};
  Factors factors{problem.dictionary, problem.coding, {}};
  factors.moved = {std::vector<Vec3>(problem.rig.vertices()),
                   std::vector<Affine>(problem.rig.motion.transforms.size())};
  to_layers(factors, problem.rig, result);
  EXPECT_EQ(result.rig.mesh.positions, factors.moved->positions);
  EXPECT_EQ(result.rig.motion.transforms, factors.moved->transforms);
  factors.moved.reset();
  to_layers(factors, problem.rig, result);
  EXPECT_EQ(result.rig, problem.rig);
}

// ---- The whole ----

/// Soft things that dense weights of a few bones follow well.
struct SoftRig {
  Sequence frames;
  Rig rig;

  explicit SoftRig(BoneKind kind, double conditioning = 1.3, std::size_t vertices = 300)
      : frames(synthetic::jelly({.vertices = vertices, .frames = 14})) {
    const DecomposeOptions options{
        .bones = 8, .influences = 8, .kind = kind, .conditioning = conditioning, .smooth = 0, .effort = Effort::fast};
    rig = decompose(frames, options).value;
  }
  TwoLayerRig compressed(Refit what, bool any_sign = false) const {
    const CompressOptions options{.bones_per_vertex = 3, .refit = what, .any_sign = any_sign, .effort = Effort::fast};
    TwoLayerRig result = compress(rig, options, &frames).value;
    expect_layers(result, options, 4);
    EXPECT_GT(result.bones_per_vertex(), 0.995 * *options.bones_per_vertex) << "what is left could lower the error";
    return result;
  }
};

TEST(TwoLayerRefit, WhatFollowsThePosesLowersTheError) {
  for (const BoneKind kind : {BoneKind::rigid, BoneKind::flexible}) {
    const SoftRig soft(kind);
    const TwoLayerRig none = soft.compressed(Refit::none), rest = soft.compressed(Refit::rest),
                      all = soft.compressed(Refit::all);
    EXPECT_LT(compare(soft.frames, rest).e_rms, 0.97 * compare(soft.frames, none).e_rms);
    EXPECT_LT(compare(soft.frames, all).e_rms, 0.97 * compare(soft.frames, rest).e_rms);
    EXPECT_EQ(none.rig.mesh, soft.rig.mesh);
    EXPECT_EQ(rest.rig.motion, soft.rig.motion);
    EXPECT_EQ(all.rig.skeleton, soft.rig.skeleton);
    EXPECT_LE(compare(soft.frames, soft.compressed(Refit::all, true)).e_rms, 1.0001 * compare(soft.frames, all).e_rms);
  }
}

/// Frames that no rest pose within the limit brings nearer: a result that would be worse is not kept.
TEST(TwoLayerRefit, NeverHurts) {
  for (const Rig& given : testing::dense_rigs()) {
    Rig rig = given;
    std::ranges::fill(rig.skeleton.parents, -1);
    const Sequence target = noisy_target(rig), own = bake(rig);
    for (const Sequence* poses : {&target, &own}) {
      for (const bool any_sign : {false, true}) {
        const CompressOptions none{.bones_per_vertex = 3, .any_sign = any_sign, .effort = Effort::fast};
        CompressOptions all = none;
        all.refit = Refit::all;
        EXPECT_LE(compare(*poses, compress(rig, all, poses).value).e_rms,
                  1.001 * compare(*poses, compress(rig, none, poses).value).e_rms);
      }
    }
  }
}

/// Singular values of bone j.
std::vector<Eigen::Vector3d> scales_of(const Rig& rig, std::size_t j) {
  std::vector<Eigen::Vector3d> scales;
  for (std::size_t t = 0; t < rig.frames(); ++t) {
    scales.emplace_back(signed_svd(Eigen::Matrix3d(bone_at(rig, t, j).leftCols<3>())).s);
  }
  return scales;
}

double widest_of(const Rig& rig, std::size_t j) {
  double widest = 1;
  for (const Eigen::Vector3d& s : scales_of(rig, j)) widest = std::max({widest, s[0], 1 / s[2]});
  return widest;
}

/// The largest cosine between two axes of the bone at rest, as they are in a frame.
double shear_of(const Rig& rig, std::size_t j) {
  double most = 0;
  for (std::size_t t = 0; t < rig.frames(); ++t) {
    const Eigen::Matrix3d bind = linear_part(rig.skeleton.bind[j]);
    const Eigen::Matrix3d axes = (bone_at(rig, t, j).leftCols<3>() * bind).colwise().normalized();
    const Eigen::Matrix3d cosines = axes.transpose() * axes - Eigen::Matrix3d::Identity();
    most = std::max(most, cosines.cwiseAbs().maxCoeff());
  }
  return most;
}

TEST(TwoLayerRefit, BonesStayOfTheirKind) {
  for (const BoneKind kind : {BoneKind::rigid, BoneKind::scale, BoneKind::stretch, BoneKind::flexible}) {
    const SoftRig soft(kind, 1.2);
    const Rig moved = soft.compressed(Refit::all).rig;
    EXPECT_NE(moved.motion, soft.rig.motion);
    double sheared = 0;
    for (std::size_t j = 0; j < moved.bones(); ++j) {
      SCOPED_TRACE(fmt::format("kind {}, bone {}", int(kind), j));
      EXPECT_LT(widest_of(moved, j), widest_of(soft.rig, j) + 2e-5);
      for (const Eigen::Vector3d& s : scales_of(moved, j)) {
        if (kind == BoneKind::scale || kind == BoneKind::rigid) {
          ASSERT_LT(s[0] - s[2], 1e-5) << s.transpose();
        }
      }
      sheared = std::max(sheared, shear_of(moved, j));
    }
    EXPECT_EQ(sheared > 1e-3, kind == BoneKind::flexible) << sheared;
  }
}

/// Each of its own: one that scales does not free the others.
TEST(TwoLayerRefit, RigidBonesStayRigidBesideOthers) {
  SoftRig soft(BoneKind::rigid);
  for (std::size_t t = 0; t < soft.rig.frames(); ++t) {
    Affine& m = soft.rig.motion.transforms[t * soft.rig.bones() + 3];
    for (std::size_t e = 0; e < 9; ++e) m(e / 3, e % 3) *= 1.05;
  }
  const Rig moved = soft.compressed(Refit::all).rig;
  for (std::size_t j = 0; j < moved.bones(); ++j) {
    EXPECT_LT(widest_of(moved, j), (j == 3 ? 1.05 : 1) + 2e-5) << "bone " << j;
  }
}

TEST(TwoLayerRefit, TheRestPoseKeepsToItsLimit) {
  for (const float away : {0.0F, 300.0F}) {
    for (const Refit what : {Refit::rest, Refit::all}) {
      SCOPED_TRACE(fmt::format("{} away, {}", away, what == Refit::rest ? "rest" : "all"));
      SoftRig soft(BoneKind::rigid);
      const double size = size_of(soft.rig.mesh.positions);
      const auto shift = float(away * size);
      // What all frames have and the rest pose does not; and everything far from the origin.
      for (std::size_t t = 0; t < soft.frames.frames(); ++t) {
        for (std::size_t i = 0; i < soft.frames.vertices(); ++i) {
          soft.frames.frame(t)[i].x += shift + float(i % 7 == 0 ? 0.05 * size : 0);
        }
      }
      for (Vec3& p : soft.rig.mesh.positions) p.x += shift;
      soft.frames.mesh.positions = soft.rig.mesh.positions;
      const Affine there = Affine::translation(shift, 0, 0), back = Affine::translation(-shift, 0, 0);
      for (Affine& m : soft.rig.motion.transforms) m = there * m * back;
      for (Affine& m : soft.rig.skeleton.bind) m = there * m;
      const Result<TwoLayerRig> result = compress(soft.rig, {.refit = what, .effort = Effort::fast}, &soft.frames);
      double most = 0;
      for (std::size_t i = 0; i < soft.rig.vertices(); ++i) {
        const Vec3 &a = soft.rig.mesh.positions[i], &b = result.value.rig.mesh.positions[i];
        most = std::max(most, std::hypot(double(a.x) - b.x, double(a.y) - b.y, double(a.z) - b.z) / size);
      }
      EXPECT_LE(most, refit_rest_limit);
      EXPECT_GT(most, 0.97 * refit_rest_limit);
      const auto figure = std::ranges::find(result.report.figures, "rest_moved", [](const auto& f) { return f.first; });
      ASSERT_NE(figure, result.report.figures.end());
      EXPECT_NEAR(figure->second, most, 1e-5);
    }
  }
}

/// More points than are summed up at a time.
TEST(TwoLayerRefit, ThreadsDoNotChangeTheResult) {
  const SoftRig soft(BoneKind::flexible, 1.3, 1100);
  marrow::Run run;
  run.threads = 1;
  const CompressOptions options{.refit = Refit::all, .effort = Effort::fast};
  const TwoLayerRig one = compress(soft.rig, options, &soft.frames, run).value;
  for (const int threads : {2, 7}) {
    run.threads = threads;
    EXPECT_EQ(compress(soft.rig, options, &soft.frames, run).value, one);
  }
}

TEST(TwoLayerRefit, ReachesAnErrorAndSmallNumbersOfVirtualBones) {
  const SoftRig soft(BoneKind::flexible);
  const double wanted = 1.5 * compare(soft.frames, soft.rig).e_rms;
  const CompressOptions to_error{.error = wanted, .refit = Refit::all, .effort = Effort::fast};
  const Result<TwoLayerRig> reached = compress(soft.rig, to_error, &soft.frames);
  EXPECT_EQ(reached.report.status, Status::done);
  EXPECT_LE(compare(soft.frames, reached.value).e_rms, wanted);
  const CompressOptions few{.virtual_bones = 9, .refit = Refit::all, .effort = Effort::fast};
  expect_layers(compress(soft.rig, few, &soft.frames).value, few, 4);
}

/// Players that know no layers have to do with the given number of influences, however few those are.
TEST(TwoLayerRefit, ThePlainSkinFollowsToo) {
  SoftRig soft(BoneKind::rigid);
  for (const std::size_t influences : {8U, 3U}) {
    const DecomposeOptions options{.bones = 8, .influences = influences, .smooth = 0, .effort = Effort::fast};
    const Rig given = decompose(soft.frames, options).value;
    const Rig plain =
        compress(given, {.bones_per_vertex = 2.5, .refit = Refit::all, .effort = Effort::fast}, &soft.frames).value.rig;
    EXPECT_NE(plain.motion, given.motion);
    EXPECT_LE(plain.weights.max_influences(), 4u);
    Rig cut = given;
    if (influences > 4) cut = reduce(given, {.influences = 4}, &soft.frames).value;
    EXPECT_LT(compare(soft.frames, plain).e_rms, 1.2 * compare(soft.frames, cut).e_rms);
  }
}

TEST(TwoLayerRefit, PosesThatSayNothingChangeLittle) {
  Rig still = smooth_rig(synthetic::arm({.vertices = 200, .frames = 4}));
  std::ranges::fill(still.skeleton.parents, -1);
  for (Affine& m : still.motion.transforms) m = Affine::translation(1, 2, 3);
  for (const Rig& rig : {still, slice(still, 2, 1)}) {
    const Sequence own = bake(rig);
    const TwoLayerRig result =
        compress(rig, {.bones_per_vertex = 3, .refit = Refit::all, .effort = Effort::fast}, &own).value;
    const Metrics metrics = compare(own, result);
    EXPECT_LT(metrics.error.max, 1e-4 * metrics.size);
  }
}

TEST(TwoLayerRefit, IsRefusedWithoutPosesAndWhereJointsWouldComeApart) {
  const Rig arm = smooth_rig(synthetic::arm({.vertices = 200, .frames = 4}));
  const Sequence own = bake(arm);
  expect_error(ErrorCode::bad_request, {"refit", "poses"}, [&] { compress(arm, {.refit = Refit::rest}); });
  expect_error(ErrorCode::bad_request, {"refit", "parent", "rest"},
               [&] { compress(arm, {.refit = Refit::all}, &own); });
  const Matrix weights = testing::to_matrix(testing::dense_rows(arm.weights, arm.bones()));
  expect_error(ErrorCode::bad_request, {"refit", "poses"}, [&] { compress(weights, arm.mesh, {.refit = Refit::all}); });
  EXPECT_EQ(compress(arm, {.refit = Refit::rest, .effort = Effort::fast}, &own).value.rig.motion, arm.motion);
}

}  // namespace
}  // namespace marrow::two_layer
