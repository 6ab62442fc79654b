#include "marrow/ddm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "awkward.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"
#include "marrow/metrics.hpp"
#include "reference.hpp"
#include "support/expect_error.hpp"
#include "support/rigs.hpp"
#include "support/surface.hpp"

namespace marrow {
namespace {

using testing::about;
using testing::awkward_rigs;
using testing::expect_error;
using testing::rotation;

double distance(const Vec3& a, const Vec3& b) {
  return std::hypot(double(a.x) - b.x, double(a.y) - b.y, double(a.z) - b.z);
}

double largest_distance(std::span<const Vec3> a, std::span<const Vec3> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, distance(a[i], b[i]));
  return largest;
}

/// Every bone turned about its joint by up to `degrees`, carried along by its parents.
std::vector<Affine> random_pose(const Skeleton& skeleton, double degrees, std::uint64_t seed) {
  Random random(seed);
  std::vector<Affine> pose;
  for (std::size_t j = 0; j < skeleton.bones(); ++j) {
    const Affine& bind = skeleton.bind[j];
    const Vec3 joint{float(bind(0, 3)), float(bind(1, 3)), float(bind(2, 3))};
    const Affine turn = about(joint, rotation(random.normal(), random.normal(), random.normal(),
                                              random.uniform(0, degrees) * std::numbers::pi / 180));
    const std::int32_t parent = skeleton.parents[j];
    pose.push_back(parent < 0 ? turn : pose[std::size_t(parent)] * turn);
  }
  return pose;
}

TEST(Ddm, EqualsTheDenseReference) {
  const Rig rig = testing::on_random_bones(testing::bumpy(7));
  for (const double alpha : {0.0, 0.4, 0.9}) {
    const DdmOptions options{.rigid_bind = alpha < 0.9,
                             .smoothing = DdmSmoothing::uniform,
                             .lambda = 2,
                             .kappa = 0.5,
                             .alpha = alpha,
                             .steps = 3,
                             .prune = 0};
    const DdmRig ddm = make_ddm(rig, options).value;
    validate(ddm);
    const testing::DenseDdm dense(rig, options);
    const double size = size_of(rig.mesh.positions);
    for (std::size_t i = 0; i < rig.vertices(); ++i) {
      const Eigen::Vector3d p = dense.centre(i);
      EXPECT_LT(distance(ddm.centres[i], {float(p[0]), float(p[1]), float(p[2])}), 1e-5 * size);
      for (std::uint32_t e = ddm.multi_weights.offsets[i]; e < ddm.multi_weights.offsets[i + 1]; ++e) {
        const Eigen::Matrix4d o = dense.centred(i, ddm.multi_weights.bones[e]);
        const MultiWeights::Value& v = ddm.multi_weights.values[e];
        // The small ball that keeps rotations defined is a ten-thousandth of the row's spread.
        const double ball = 2e-4 * (1 - alpha) * size * size;
        EXPECT_NEAR(v[0], o(0, 0), ball);
        EXPECT_NEAR(v[1], o(0, 1), 1e-5 * size * size);
        EXPECT_NEAR(v[5], o(1, 2), 1e-5 * size * size);
        EXPECT_NEAR(v[7], o(2, 2), ball);
        EXPECT_NEAR(v[3], o(0, 3), 1e-5 * size);
        EXPECT_NEAR(v[8], o(2, 3), 1e-5 * size);
        EXPECT_NEAR(v[9], o(3, 3), 2e-5);
      }
    }
    std::vector<Vec3> positions(rig.vertices());
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      const std::vector<Affine> pose = random_pose(rig.skeleton, 80, seed);
      deform(ddm, pose, positions);
      for (std::size_t i = 0; i < rig.vertices(); ++i) {
        const Eigen::Vector3d v = dense.deform(i, pose);
        EXPECT_LT(distance(positions[i], {float(v[0]), float(v[1]), float(v[2])}), 1e-3 * size) << i;
      }
    }
  }
}

TEST(Ddm, TheRestPoseStaysAndARigidMotionIsRigid) {
  for (const auto& [name, rig] : awkward_rigs()) {
    for (const DdmOptions& options :
         {DdmOptions{}, DdmOptions{.rigid_bind = false, .rotation_reach = 2.5, .alpha = 0.9},
          DdmOptions{.smoothing = DdmSmoothing::uniform, .steps = 10},
          DdmOptions{.rotation_reach = 0, .translation_reach = 0, .alpha = 0}}) {
      const DdmRig ddm = make_ddm(rig, options).value;
      ASSERT_NO_THROW(validate(ddm)) << name;
      const double size = size_of(rig.mesh.positions);
      // Positions are floats: far from the origin, that is what can be asked for.
      double from_origin = 0;
      for (const Vec3& p : rig.mesh.positions) from_origin = std::max(from_origin, distance(p, {0, 0, 0}));
      const double limit = std::max(1e-5 * size, 1e-6 * from_origin);
      std::vector<Vec3> positions(rig.vertices());
      deform(ddm, std::vector<Affine>(rig.bones()), positions);
      EXPECT_LE(largest_distance(positions, rig.mesh.positions), limit) << name;
      // 10 km away and turned.
      const Affine far_away = Affine::translation(1e4, -200, 3e3) * rotation(1, 2, 3, 2.1);
      const Affine root = deform_from_root(ddm, std::vector<Affine>(rig.bones(), far_away), positions);
      EXPECT_EQ(root, far_away);
      EXPECT_LE(largest_distance(positions, rig.mesh.positions), limit) << name;
      // And anything that bones can do gives finite positions.
      for (std::uint64_t seed = 1; seed < 4; ++seed) {
        deform(ddm, random_pose(rig.skeleton, 180, seed), positions);
        for (const Vec3& p : positions) ASSERT_TRUE(std::isfinite(p.x + p.y + p.z)) << name;
      }
    }
  }
}

TEST(Ddm, APosedCharacterLooksTheSameFromAnywhere) {
  const Rig rig = synthetic::quadruped({.vertices = 1500, .frames = 2});
  const DdmRig ddm = make_ddm(rig).value;
  const double size = size_of(rig.mesh.positions);
  std::vector<Affine> pose = random_pose(rig.skeleton, 60, 5);
  std::vector<Vec3> here(rig.vertices()), there(rig.vertices());
  deform_from_root(ddm, pose, here);
  const Affine away = Affine::translation(1e4, 50, -1e4) * rotation(0, 1, 0, 1);
  for (Affine& bone : pose) bone = away * bone;
  deform_from_root(ddm, pose, there);
  EXPECT_LT(largest_distance(here, there), 1e-5 * size);
}

TEST(Ddm, ReflectedAndFlattenedBonesGiveSomethingFinite) {
  const Rig rig = testing::on_random_bones(testing::bumpy(6));
  const DdmRig ddm = make_ddm(rig).value;
  std::vector<Vec3> positions(rig.vertices());
  const Affine mirror = testing::scaling(-1, 1, 1), flat = testing::scaling(0, 0, 0);
  // All mirrored: the root takes the mirror along, and the skin is mirrored exactly.
  deform(ddm, std::vector<Affine>(3, mirror), positions);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Vec3& p = rig.mesh.positions[i];
    EXPECT_LT(distance(positions[i], {-p.x, p.y, p.z}), 1e-5);
  }
  for (const std::vector<Affine>& pose :
       {std::vector<Affine>{Affine{}, mirror, Affine{}}, {Affine{}, flat, mirror}, {flat, Affine{}, Affine{}}}) {
    deform(ddm, pose, positions);
    for (const Vec3& p : positions) ASSERT_TRUE(std::isfinite(p.x + p.y + p.z));
  }
}

TEST(Ddm, ThreadsDoNotChangeAByte) {
  const Rig rig = synthetic::quadruped({.vertices = 3000, .frames = 3});
  const DdmRig one = make_ddm(rig, {}, {.threads = 1}).value;
  for (const int threads : {2, 7}) {
    const DdmRig other = make_ddm(rig, {}, {.threads = threads}).value;
    EXPECT_EQ(one, other);
    EXPECT_EQ(bake(one, {.threads = 1}).positions, bake(other, {.threads = threads}).positions);
  }
}

/// RMS over all vertices and frames.
double rms(const Sequence& a, const Sequence& b) {
  return compare(a, b).error.rms;
}

/// Frames [first, first + count).
Rig some_frames(Rig rig, std::size_t first, std::size_t count) {
  Motion part{Timeline::uniform(count, 30), rig.bones(), {}};
  for (std::size_t t = first; t < first + count; ++t) {
    part.transforms.insert(part.transforms.end(), rig.motion.frame(t).begin(), rig.motion.frame(t).end());
  }
  rig.motion = std::move(part);
  return rig;
}

TEST(Ddm, IsNearToDeltaMushWhereLinearBlendSkinningIsNot) {
  const Rig bar = synthetic::bar({.vertices = 2000, .frames = 40});
  for (const Rig& rig : {some_frames(bar, 0, 20), some_frames(bar, 20, 20)}) {  // the bend, the twist
    const Sequence mush = DeltaMush(rig).bake();
    EXPECT_LE(3 * rms(mush, bake(make_ddm(rig).value)), rms(mush, bake(rig)));
    // Without blending, it is Delta Mush but for how rotations are found.
    EXPECT_LE(20 * rms(mush, bake(make_ddm(rig, {.alpha = 0}).value)), rms(mush, bake(rig)));
  }
}

TEST(Ddm, LosesHalfTheVolumeAtMostThatLinearBlendSkinningLoses) {
  const Rig rig = synthetic::bar({.vertices = 2000, .frames = 40});
  std::vector<Vec3> lbs(rig.vertices()), ddm(rig.vertices());
  deform(rig, rig.motion.frame(10), lbs);  // 90 degrees
  deform(make_ddm(rig).value, rig.motion.frame(10), ddm);
  const double rest = testing::volume(rig.mesh, rig.mesh.positions);
  const double lost_by_lbs = rest - testing::volume(rig.mesh, lbs);
  EXPECT_GT(lost_by_lbs, 0.05 * rest);
  EXPECT_LE(rest - testing::volume(rig.mesh, ddm), 0.5 * lost_by_lbs);
}

TEST(Ddm, PruningStaysWithinItsBound) {
  const Rig rig = synthetic::quadruped({.vertices = 2000, .frames = 2});
  const DdmRig full = make_ddm(rig, {.prune = 0}).value;
  const double size = size_of(rig.mesh.positions);
  std::vector<Vec3> exact(rig.vertices()), pruned(rig.vertices());
  std::size_t last = full.multi_weights.values.size();
  for (const double share : {1e-4, 5e-4, 5e-3}) {
    const DdmRig fewer = make_ddm(rig, {.prune = share}).value;
    EXPECT_LT(fewer.multi_weights.values.size(), last) << share;
    last = fewer.multi_weights.values.size();
    for (std::uint64_t seed = 1; seed < 9; ++seed) {
      const std::vector<Affine> pose = random_pose(rig.skeleton, 90, seed);
      deform_from_root(full, pose, exact);
      deform_from_root(fewer, pose, pruned);
      EXPECT_LE(largest_distance(exact, pruned), share * size) << share;
    }
  }
}

TEST(Ddm, SplitsWhatItWelded) {
  Rig rig = testing::on_random_bones(testing::bumpy(6));
  const Rig whole = rig;
  const std::size_t n = rig.vertices();
  testing::split_last_faces(rig, 1);
  // Each copy rounded in its own way, as exporters do that quantise weights.
  for (std::size_t v = n; v < rig.vertices(); ++v) {
    float* values = rig.weights.values.data() + rig.weights.offsets[v];
    const std::size_t count = rig.weights.offsets[v + 1] - rig.weights.offsets[v];
    for (std::size_t k = 0; count > 1 && k < count; ++k) values[k] += k == 0 ? 1e-3F : k == 1 ? -1e-3F : 0;
  }
  const DdmRig split = make_ddm(rig).value, together = make_ddm(whole).value;
  const std::vector<Affine> pose = random_pose(rig.skeleton, 80, 2);
  std::vector<Vec3> a(rig.vertices()), b(whole.vertices());
  deform(split, pose, a);
  deform(together, pose, b);
  EXPECT_EQ(largest_distance(std::span(a).first(n), b), 0);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(a[n + k], b[whole.mesh.face_vertices[whole.mesh.face_vertices.size() - 3 + k]]);
  }
}

TEST(Ddm, MapsAndOptionsDoWhatTheySay) {
  const Rig rig = synthetic::bar({.vertices = 600, .frames = 40});
  const auto n = std::ptrdiff_t(rig.vertices());
  const std::span<const Affine> pose = rig.motion.frame(10);
  std::vector<Vec3> a(rig.vertices()), b(rig.vertices());
  const auto deformed = [&](const DdmOptions& options, std::vector<Vec3>& out) {
    deform(make_ddm(rig, options).value, pose, out);
  };
  // A map of ones changes nothing; one of zeros is the same as none of it.
  deformed({}, a);
  deformed({.maps = {std::vector<float>(n, 1), std::vector<float>(n, 1), std::vector<float>(n, 1)}}, b);
  EXPECT_EQ(a, b);
  deformed({.rotation_reach = 0, .translation_reach = 0, .alpha = 0}, a);
  deformed({.maps = {std::vector<float>(n, 0), std::vector<float>(n, 0), std::vector<float>(n, 0)}}, b);
  EXPECT_EQ(a, b);
  // No smoothing at all is the rigid bind itself.
  Rig rigid = rig;
  rigid.weights = {{0}, {}, {}};
  for (std::size_t i = 0; i < rig.vertices(); ++i) {
    const auto values = rig.weights.row_values(i);
    rigid.weights.bones.push_back(
        rig.weights.row_bones(i)[std::size_t(std::ranges::max_element(values) - values.begin())]);
    rigid.weights.values.push_back(1);
    rigid.weights.offsets.push_back(std::uint32_t(i + 1));
  }
  deform(rigid, pose, b);
  EXPECT_LT(largest_distance(a, b), 1e-4);
  // Half of the mesh painted: there it stays rigid, elsewhere it does not.
  DdmMaps half;
  for (const Vec3& p : rig.mesh.positions) half.rotation.push_back(p.y > 0 ? 1.0F : 0.0F);
  half.translation = half.rotation;
  deformed({.alpha = 0, .maps = half}, a);
  double painted = 0, bare = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double& moved = rig.mesh.positions[i].y > 0.05 ? painted : bare;
    if (std::abs(rig.mesh.positions[i].y) > 0.05) moved = std::max(moved, distance(a[i], b[i]));
  }
  EXPECT_GT(painted, 0.02);
  EXPECT_LT(bare, 1e-3);
}

TEST(Ddm, DenseLbsHasTheSmoothedWeights) {
  const Rig rig = synthetic::arm({.vertices = 800, .frames = 10});
  const DdmRig ddm = make_ddm(rig).value;
  const Rig dense = dense_lbs(ddm);
  validate(dense);
  EXPECT_EQ(dense.weights.offsets, ddm.multi_weights.offsets);
  EXPECT_EQ(dense.weights.bones, ddm.multi_weights.bones);
  for (std::size_t e = 0; e < dense.weights.values.size(); ++e) {
    EXPECT_NEAR(dense.weights.values[e], ddm.multi_weights.values[e][9], 1e-5);
  }
  EXPECT_GE(dense.weights.bones.size(), rig.vertices());
  EXPECT_EQ(dense.mesh, rig.mesh);
}

TEST(Ddm, DeltaMushIsNearToOneByDenseMatricesAndTangents) {
  const Rig rig = synthetic::bar({.vertices = 300, .frames = 40});
  const DdmOptions options{.smoothing = DdmSmoothing::uniform, .lambda = 2, .steps = 3};
  const testing::DenseDeltaMush dense(rig, options);
  const DeltaMush mush(rig, options);
  std::vector<Vec3> positions(rig.vertices()), plain(rig.vertices());
  for (const std::size_t t : {5u, 10u, 25u}) {
    const std::span<const Affine> pose = rig.motion.frame(t);
    mush.deform(pose, positions);
    deform(rig, pose, plain);
    const std::vector<Vec3> expected = dense.deform(pose);
    double difference = 0, moved = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      difference += std::pow(distance(positions[i], expected[i]), 2);
      moved += std::pow(distance(plain[i], expected[i]), 2);
    }
    EXPECT_LT(std::sqrt(difference / moved), 0.1) << t;
  }
}

TEST(Ddm, DeltaMushKeepsTheRestPoseAndMovesRigidly) {
  for (const auto& [name, rig] : awkward_rigs()) {
    const DeltaMush mush(rig);
    const double size = size_of(rig.mesh.positions);
    std::vector<Vec3> positions(rig.vertices());
    mush.deform(std::vector<Affine>(rig.bones()), positions);
    EXPECT_LT(largest_distance(positions, rig.mesh.positions), 1e-4 * size) << name;
    const Affine turn = rotation(1, 1, 0, 1) * Affine::translation(1, 2, 3);
    mush.deform(std::vector<Affine>(rig.bones(), turn), positions);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      EXPECT_LT(distance(positions[i], transform(turn, rig.mesh.positions[i])), 1e-4 * size) << name;
    }
  }
}

TEST(Ddm, SaysWhatIsWrong) {
  const Rig rig = testing::on_random_bones(testing::bumpy(4));
  const auto refuse = [&](const DdmOptions& options, const std::string& part) {
    expect_error(ErrorCode::bad_request, {part}, [&] { make_ddm(rig, options); });
  };
  refuse({.alpha = 1}, "alpha");
  refuse({.steps = 0}, "steps");
  refuse({.rotation_reach = -1}, "rotation_reach");
  refuse({.prune = std::nan("")}, "prune");
  refuse({.maps = {.rotation = {1}, .translation = {}, .blending = {}}}, "maps.rotation");
  refuse({.maps = {.rotation = {}, .translation = {}, .blending = std::vector<float>(16, 2)}}, "maps.blending");
  expect_error(ErrorCode::bad_input, {"no vertices"}, [] { make_ddm(Rig{{}, {}, {{0}, {}, {}}, {}}); });
  Rig flat = rig;
  for (Vec3& p : flat.mesh.positions) p = {1, 1, 1};
  expect_error(ErrorCode::bad_input, {"in one place"}, [&] { make_ddm(flat); });
  DdmRig ddm = make_ddm(rig).value;
  ddm.centres.pop_back();
  expect_error(ErrorCode::bad_input, {"centres"}, [&] { validate(ddm); });
  std::vector<Vec3> positions(rig.vertices());
  expect_error(ErrorCode::bad_input, {"2 transforms"}, [&] { deform(ddm, std::vector<Affine>(2), positions); });
  std::stop_source stop;
  stop.request_stop();
  expect_error(ErrorCode::stopped, {}, [&] { make_ddm(rig, {}, {.stop = stop.get_token()}); });
}

}  // namespace
}  // namespace marrow
