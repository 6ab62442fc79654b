#include "marrow/ddm.hpp"
#include "marrow/ddm_compression.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "core/eigen_affine.hpp"
#include "ddm_compression/examples.hpp"
#include "ddm_compression/pose_examples.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"
#include "marrow/metrics.hpp"
#include "marrow/synthetic.hpp"
#include "support/quality.hpp"

namespace marrow {
namespace {

/// Every test looks at the same small body.
struct Shared {
  Rig rig = synthetic::quadruped({.vertices = 250, .frames = 12});
  DdmRig ddm = make_ddm(rig, {.rotation_reach = 2.5, .translation_reach = 1.5, .alpha = 0.5}).value;
  RangesOfMotion ranges = default_ranges(rig.skeleton);
  DdmCompressionOptions options{.virtual_bones = 30, .poses = 30, .iterations = 6};
};

const Shared& shared() {
  static const Shared body;
  return body;
}

/// Compressed with shared().options.
const CompressedDdm& shared_model() {
  static const CompressedDdm model = compress(shared().ddm, shared().options, shared().ranges).value;
  return model;
}

double rms(const CompressedDdm& model) {
  static const Sequence truth = bake(shared().ddm);
  return compare(truth, model).error.rms;
}

CompressedDdm by(DdmCompressionMethod method) {
  DdmCompressionOptions options = shared().options;
  options.method = method;
  return compress(shared().ddm, options, shared().ranges).value;
}

void expect_constraints(const CompressedDdm& model, std::size_t bones, std::size_t influences) {
  EXPECT_NO_THROW(validate(model));
  EXPECT_LE(model.virtual_bone_count(), bones);
  EXPECT_LE(model.weights.max_influences(), influences);
  for (std::size_t k = 0; k < model.virtual_bone_count(); ++k) {
    Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
    Eigen::Vector3d b = Eigen::Vector3d::Zero();
    for (std::uint32_t e = model.virtual_bones.offsets[k]; e < model.virtual_bones.offsets[k + 1]; ++e) {
      const Eigen::Matrix4d value = ddm_compression::to_matrix(model.virtual_bones.values[e]);
      sum += value.topLeftCorner<3, 3>();
      b += value.topRightCorner<3, 1>();
    }
    const Eigen::Vector3d spread = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(sum).eigenvalues();
    EXPECT_GT(spread[0], 0);
    EXPECT_LE(spread[2], 100 * spread[0]) << "virtual bone " << k;
    EXPECT_LE(b.norm(), 1e-5 * std::sqrt(spread[2]));
  }
}

TEST(DdmCompression, ConstraintsHoldForEveryMethod) {
  expect_constraints(shared_model(), 30, 4);
  expect_constraints(by(DdmCompressionMethod::paper), 30, 4);
  expect_constraints(by(DdmCompressionMethod::scalar_only), 30, 4);
  DdmCompressionOptions options{.virtual_bones = 9, .influences = 1, .poses = 20, .iterations = 3};
  expect_constraints(compress(shared().ddm, options, shared().ranges).value, 9, 1);
}

TEST(DdmCompression, RefinementBeatsBothBaselinesOnMotionsItHasNotSeen) {
  MARROW_JUDGES_QUALITY();
  const Rig rig = synthetic::quadruped({.vertices = 600, .frames = 24});
  const DdmRig ddm = make_ddm(rig, {.rotation_reach = 2.5, .translation_reach = 1.5, .alpha = 0.5}).value;
  const Sequence truth = bake(ddm);
  const auto error_by = [&](DdmCompressionMethod method) {
    DdmCompressionOptions options{.virtual_bones = 50, .method = method, .poses = 50, .iterations = 8};
    return compare(truth, compress(ddm, options, default_ranges(rig.skeleton)).value).error.rms;
  };
  const double refined = error_by(DdmCompressionMethod::refined);
  EXPECT_LT(1.3 * refined, error_by(DdmCompressionMethod::scalar_only));
  EXPECT_LT(1.3 * refined, error_by(DdmCompressionMethod::paper));
}

TEST(DdmCompression, ThePapersUpdateLowersItsOwnObjective) {
  const auto fit = [](DdmCompressionMethod method) { return fitting_error(shared().ddm, by(method), shared().ranges); };
  EXPECT_LT(fit(DdmCompressionMethod::paper), 0.9 * fit(DdmCompressionMethod::scalar_only));
}

TEST(DdmCompression, TheReportedObjectiveIsTheFittingError) {
  DdmCompressionOptions options = shared().options;
  options.method = DdmCompressionMethod::paper;
  const auto result = compress(shared().ddm, options, shared().ranges);
  EXPECT_NEAR(fitting_error(shared().ddm, result.value, shared().ranges) / result.report.error_curve.back(), 1, 1e-3);
}

TEST(DdmCompression, TheSolverDoesNotLookAtTheClips) {
  DdmRig other = shared().ddm;
  other.rig.motion = slice(other.rig.motion, 3, 5);
  CompressedDdm model = compress(other, shared().options, shared().ranges).value;
  model.rig.motion = shared().rig.motion;
  EXPECT_EQ(model, shared_model());
}

TEST(DdmCompression, AsManyBonesAsVerticesLoseNothing) {
  const Rig rig = synthetic::bar({.vertices = 60, .frames = 12});
  const DdmRig ddm = make_ddm(rig).value;
  DdmCompressionOptions options{.virtual_bones = 500, .poses = 20, .iterations = 2};
  const CompressedDdm model = compress(ddm, options, default_ranges(rig.skeleton)).value;
  EXPECT_LE(model.virtual_bone_count(), rig.vertices());
  const Metrics metrics = compare(bake(ddm), model);
  EXPECT_LT(metrics.percent(metrics.error.max), 0.02);
}

TEST(DdmCompression, MoreBonesAreBetter) {
  DdmCompressionOptions options = shared().options;
  options.virtual_bones = 15;
  EXPECT_GT(rms(compress(shared().ddm, options, shared().ranges).value), 1.5 * rms(shared_model()));
}

TEST(DdmCompressionThreads, GiveTheSameBytes) {
  for (const auto method : {DdmCompressionMethod::refined, DdmCompressionMethod::paper}) {
    DdmCompressionOptions options{.virtual_bones = 30, .method = method, .poses = 20, .iterations = 4};
    const CompressedDdm one = compress(shared().ddm, options, shared().ranges, {.threads = 1}).value;
    EXPECT_EQ(compress(shared().ddm, options, shared().ranges, {.threads = 7}).value, one);
  }
}

TEST(DdmCompression, OtherSeedsGiveOtherModels) {
  DdmCompressionOptions options{.virtual_bones = 20, .poses = 20, .iterations = 2};
  const CompressedDdm one = compress(shared().ddm, options, shared().ranges, {.seed = 1}).value;
  EXPECT_NE(compress(shared().ddm, options, shared().ranges, {.seed = 2}).value, one);
}

TEST(DdmCompression, TheRestPoseStaysAndRigidMotionsAreRigid) {
  const CompressedDdm& model = shared_model();
  const double size = size_of(model.rig.mesh.positions);
  std::vector<Affine> pose(model.bones());
  std::vector<Vec3> out(model.vertices());
  deform(model, pose, out);
  const auto error = [&](const Affine& a) {
    double worst = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      worst = std::max(worst, (to_eigen(transform(a, model.rig.mesh.positions[i])) - to_eigen(out[i])).norm());
    }
    return worst;
  };
  EXPECT_LT(error({}), 1e-6 * size);
  const Affine turned = to_affine(Eigen::AngleAxisd(2, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix(),
                                  Eigen::Vector3d(3, -2, 5));
  std::ranges::fill(pose, turned);
  deform(model, pose, out);
  EXPECT_LT(error(turned), 1e-5 * size);
}

/// Eq. 13: in floats, with the root ten metres away, rotations of virtual bones are those of doubles.
TEST(DdmCompression, FloatsAreEnoughFarFromTheOrigin) {
  CompressedDdm model = shared_model();
  const Affine away = to_affine(Eigen::AngleAxisd(1, Eigen::Vector3d::UnitY()).toRotationMatrix(),
                                Eigen::Vector3d(10, 0, -10) * size_of(model.rig.mesh.positions) / 1.75);
  const Motion motion = sample_poses(model.rig.skeleton, shared().ranges, 6, 9);
  const ddm_compression::DistinctPoints points = ddm_compression::distinct_points(shared().ddm, false);
  const auto bones = ddm_compression::load_bones(points, model.centres, model.virtual_bones);
  const ddm_compression::PoseSet poses(points, motion);
  std::vector<Affine> transforms(model.virtual_bone_count()), pose(model.bones());
  double worst = 0;
  for (std::size_t t = 0; t < motion.frames(); ++t) {
    for (std::size_t j = 0; j < pose.size(); ++j) pose[j] = away * motion.frame(t)[j];
    const Affine root = virtual_transforms(model, pose, transforms);
    EXPECT_LT((linear_part(root) - linear_part(pose[0])).norm(), 1e-12);
    for (std::size_t k = 0; k < bones.size(); ++k) {
      const Eigen::Matrix3d exact = ddm_compression::evaluate(poses, t, bones[k].centre, bones[k].weights).rotation;
      const Eigen::AngleAxisd off(exact.transpose() * linear_part(transforms[k]));
      worst = std::max(worst, std::abs(off.angle()) * 180 / std::numbers::pi);
    }
  }
  EXPECT_LT(worst, 0.001);
}

TEST(DdmCompression, ThePlainRigPlaysTheSameVertices) {
  const CompressedDdm& model = shared_model();
  const Rig plain = bake_virtual_bones(model);
  EXPECT_NO_THROW(validate(plain));
  EXPECT_EQ(plain.bones(), model.virtual_bone_count());
  EXPECT_EQ(plain.frames(), model.rig.frames());
  for (std::size_t k = 0; k < plain.bones(); ++k) {
    EXPECT_EQ(plain.skeleton.parents[k], -1);
    const Vec3& c = model.centres[k];
    EXPECT_EQ(plain.skeleton.bind[k], Affine::translation(c.x, c.y, c.z));
  }
  for (const Affine& a : plain.motion.transforms) EXPECT_LT(orthonormality_defect(a), 1e-5);
  const Metrics metrics = compare(bake(model), plain);
  EXPECT_LT(metrics.percent(metrics.error.max), 0.01);
}

TEST(DdmCompression, StorageCountsBothLayers) {
  const CompressedDdm& model = shared_model();
  const std::size_t multi = model.virtual_bones.bones.size(), scalar = model.weights.bones.size();
  EXPECT_EQ(storage(model),
            41 * multi + 13 * model.virtual_bone_count() + 5 * scalar + model.vertices() - 4 * model.vertices());
}

TEST(DdmCompression, FindsTheNumberOfBonesForAnError) {
  DdmCompressionOptions options{.virtual_bones = 120, .error_target = 0.007, .poses = 30, .iterations = 4};
  const auto found = compress(shared().ddm, options, shared().ranges);
  EXPECT_EQ(found.report.status, Status::done);
  EXPECT_LT(found.value.virtual_bone_count(), 120u);
  DdmRig unseen = shared().ddm;
  unseen.rig.motion = sample_poses(unseen.rig.skeleton, shared().ranges, 40, 1234);
  CompressedDdm model = found.value;
  model.rig.motion = unseen.rig.motion;
  const Metrics metrics = compare(bake(unseen), model);
  EXPECT_LT(metrics.percent(metrics.error.rms), 0.85);
  EXPECT_GT(metrics.percent(metrics.error.rms), 0.4);
  options.error_target = 1e-8;
  options.virtual_bones = 20;
  const auto missed = compress(shared().ddm, options, shared().ranges);
  EXPECT_EQ(missed.report.status, Status::quality_missed);
  EXPECT_GT(missed.value.virtual_bone_count(), 15u);
}

TEST(DdmCompression, FindsTheNumberOfBonesForABudget) {
  DdmCompressionOptions options{.virtual_bones = 200, .poses = 20, .iterations = 2};
  options.byte_budget = 14000;
  const auto found = compress(shared().ddm, options, shared().ranges);
  EXPECT_LE(storage(found.value), 14000u);
  EXPECT_GE(storage(found.value), 12100u);
  options.byte_budget = 1000;
  EXPECT_THROW(compress(shared().ddm, options, shared().ranges), Error);
}

/// Hinges leave most of a multi-weight unseen: training on them alone is better for them than training on everything,
/// and no virtual bone turns over in poses of theirs that were not sampled.
TEST(DdmCompression, HingesAreRespected) {
  MARROW_JUDGES_QUALITY();
  const Rig rig = synthetic::arm({.vertices = 500, .frames = 2});
  DdmRig ddm = make_ddm(rig, {.rotation_reach = 2, .translation_reach = 1}).value;
  RangesOfMotion hinges;
  for (std::size_t j = 0; j < rig.bones(); ++j) hinges.joints.push_back({{0, 0, 0}, {0, 0, 100}});
  DdmCompressionOptions options{.virtual_bones = 16, .poses = 40, .iterations = 24};
  for (const std::uint64_t seed : {1u, 3u}) {
    CompressedDdm narrow = compress(ddm, options, hinges, {.seed = seed}).value;
    CompressedDdm wide = compress(ddm, options, default_ranges(rig.skeleton), {.seed = seed}).value;
    narrow.rig.motion = wide.rig.motion = ddm.rig.motion = sample_poses(rig.skeleton, hinges, 40, 55);
    const Sequence truth = bake(ddm);
    const Metrics metrics = compare(truth, narrow);
    EXPECT_LT(1.3 * metrics.error.rms, compare(truth, wide).error.rms);
    EXPECT_LT(metrics.error.max, 20 * metrics.error.rms);
  }
}

TEST(DdmCompression, RefusesBadRequests) {
  const auto refused = [](auto&& change) {
    DdmCompressionOptions options{.virtual_bones = 5, .poses = 10, .iterations = 1};
    RangesOfMotion ranges = shared().ranges;
    change(options, ranges);
    try {
      compress(shared().ddm, options, ranges);
    } catch (const Error& e) {
      return e.code();
    }
    return ErrorCode::stopped;
  };
  using O = DdmCompressionOptions;
  using R = RangesOfMotion;
  EXPECT_EQ(refused([](O& o, R&) { o.virtual_bones = 0; }), ErrorCode::bad_request);
  EXPECT_EQ(refused([](O& o, R&) { o.influences = 0; }), ErrorCode::bad_request);
  EXPECT_EQ(refused([](O& o, R&) { o.influences = 17; }), ErrorCode::bad_request);
  EXPECT_EQ(refused([](O& o, R&) { o.poses = 3; }), ErrorCode::bad_request);
  EXPECT_EQ(refused([](O& o, R&) { o.iterations = 0; }), ErrorCode::bad_request);
  EXPECT_EQ(refused([](O& o, R&) { o.sparsity = -1; }), ErrorCode::bad_request);
  EXPECT_EQ(refused([](O& o, R&) { o.worst = std::nan(""); }), ErrorCode::bad_request);
  EXPECT_EQ(refused([](O& o, R&) { o.smoothness = -1; }), ErrorCode::bad_request);
  EXPECT_EQ(refused([](O& o, R&) { o.error_target = 0.0; }), ErrorCode::bad_request);
  EXPECT_EQ(refused([](O& o, R&) { o.error_target = 0.01, o.byte_budget = 1000; }), ErrorCode::bad_request);
  EXPECT_EQ(refused([](O& o, R&) { o.examples.translation = -1; }), ErrorCode::bad_request);
  EXPECT_EQ(refused([](O& o, R&) { o.examples.poses = shared().rig.motion; }), ErrorCode::bad_request);
  EXPECT_EQ(refused([](O&, R& r) { r.joints.pop_back(); }), ErrorCode::bad_input);
}

TEST(DdmCompression, ValidationNamesWhatIsWrong) {
  const auto broken = [](auto&& change) {
    CompressedDdm model = shared_model();
    change(model);
    EXPECT_THROW(validate(model), Error);
  };
  broken([](CompressedDdm& m) { m.centres.pop_back(); });
  broken([](CompressedDdm& m) { m.centres[0].x = std::nanf(""); });
  broken([](CompressedDdm& m) { m.weights.bones.back() = 1000; });
  broken([](CompressedDdm& m) { m.virtual_bones.values[0][9] = -1; });
  broken([](CompressedDdm& m) {
    m.weights.offsets.pop_back();
    m.weights.bones.resize(m.weights.offsets.back());
    m.weights.values.resize(m.weights.offsets.back());
  });
  std::vector<Vec3> few(3);
  EXPECT_THROW(deform(shared_model(), shared().rig.motion.frame(0), few), Error);
}

TEST(DdmCompressionStop, IsObeyed) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(compress(shared().ddm, shared().options, shared().ranges, {.stop = source.get_token()}), Error);
}

}  // namespace
}  // namespace marrow
