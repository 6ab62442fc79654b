#include "marrow/deform.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "deform/frame_skinner.hpp"
#include "deform/kernels/skin.hpp"
#include "support/expect_error.hpp"
#include "support/levels.hpp"
#include "support/shapes.hpp"

namespace marrow {
namespace {

using testing::expect_error;

/// Three vertices on a bar along x; bone 0 stays, bone 1 turns about z at x = 1. The middle vertex follows both.
Rig elbow(double angle) {
  Rig rig;
  rig.mesh.positions = {{0, 0, 0}, {2, 0, 0}, {3, 1, 5}};
  rig.weights = {.offsets = {0, 1, 3, 4}, .bones = {0, 0, 1, 1}, .values = {1, 0.5f, 0.5f, 1}};
  rig.skeleton = centroid_skeleton(rig.mesh, rig.weights, 2);
  const double c = std::cos(angle), s = std::sin(angle);
  const Affine turn =
      Affine::translation(1, 0, 0) * Affine{{c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, 0}} * Affine::translation(-1, 0, 0);
  rig.motion = {.timeline = Timeline::uniform(2, 30), .bones = 2, .transforms = {{}, {}, {}, turn}};
  return rig;
}

bool same_bytes(std::span<const Vec3> a, std::span<const Vec3> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

TEST(Deform, TwoBonesByHand) {
  const Rig rig = elbow(std::numbers::pi / 2);
  std::vector<Vec3> out(3);
  deform(rig, rig.motion.frame(0), out);
  EXPECT_TRUE(same_bytes(out, rig.mesh.positions));
  deform(rig, rig.motion.frame(1), out);
  EXPECT_EQ(out[0], (Vec3{0, 0, 0}));
  // Bone 1 takes (2, 0, 0) to (1, 1, 0); halfway is (1.5, 0.5, 0), nearer to the joint: the known loss of volume.
  EXPECT_NEAR(out[1].x, 1.5, 1e-7);
  EXPECT_NEAR(out[1].y, 0.5, 1e-7);
  // (3, 1, 5) is (2, 1) from the joint, turned (-1, 2).
  EXPECT_NEAR(out[2].x, 0, 1e-7);
  EXPECT_NEAR(out[2].y, 2, 1e-7);
  EXPECT_EQ(out[2].z, 5);
}

TEST(Deform, WrongSizesAreNamed) {
  const Rig rig = elbow(1);
  const std::vector<Affine> pose(2);
  std::vector<Vec3> room(3);
  const std::span<const Affine> all(pose);
  const std::span<Vec3> space(room);
  expect_error(ErrorCode::bad_input, {"deform: the pose has 1 transforms, but the rig 2 bones"},
               [&] { deform(rig, all.first(1), space); });
  expect_error(ErrorCode::bad_input, {"deform: there is room for 2 vertices, but the rig has 3"},
               [&] { deform(rig, all, space.first(2)); });
  expect_error(ErrorCode::bad_input, {"deform: the pose has 1 transforms, but the rig 2 bones"},
               [&] { deform_normals(rig, all.first(1), space, space); });
  expect_error(ErrorCode::bad_input, {"deform: there is room for 1 vertices, but the rig has 3"},
               [&] { deform_normals(rig, all, space, space.first(1)); });
  expect_error(ErrorCode::bad_input, {"deform: 2 rest normals, but the rig has 3 vertices"},
               [&] { deform_normals(rig, all, space.first(2), space); });
}

/// Normals carried along by deform_normals against normals of the deformed surface.
double worst_normal_angle(const Affine& bone) {
  Random random(5);
  Mesh mesh = testing::sheet_of_quads(5);
  for (Vec3& p : mesh.positions) p.y = p.x * 0.75f - p.z * 0.5f;  // one plane, so vertex normals are face normals
  const auto rest_normals = vertex_normals(mesh, mesh.positions);
  Rig rig = testing::random_rig(random, mesh, 1, 1, 1);
  rig.motion.transforms[0] = bone;
  std::vector<Vec3> positions(rig.vertices()), normals(rig.vertices());
  deform(rig, rig.motion.frame(0), positions);
  deform_normals(rig, rig.motion.frame(0), rest_normals, normals);
  const auto expected = vertex_normals(mesh, positions);
  double worst = 0;
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const Vec3 &a = normals[i], &b = expected[i];
    worst = std::max(worst, std::hypot(double(a.x) - b.x, double(a.y) - b.y, double(a.z) - b.z));
  }
  return worst;
}

TEST(Deform, NormalsStayPerpendicular) {
  EXPECT_LT(worst_normal_angle(Affine::translation(3, 4, 5)), 1e-6);
  EXPECT_LT(worst_normal_angle({{0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}}), 1e-6) << "rotation";
  EXPECT_LT(worst_normal_angle({{1, 0.9, -0.4, 0, 0, 1, 0.7, 0, 0, 0, 1, 0}}), 1e-6) << "shear";
  EXPECT_LT(worst_normal_angle({{5, 0, 0, 0, 0, 0.25, 0, 0, 0, 0, 2, 0}}), 1e-6) << "scale";
  EXPECT_LT(worst_normal_angle({{-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}), 1e-6) << "reflection";
  EXPECT_LT(worst_normal_angle({{-2, 0.5, 0, 0, 0.3, 1, -0.8, 0, 0, 0.6, -3, 0}}), 1e-6) << "everything";
  EXPECT_LT(worst_normal_angle({{1e-20, 0, 0, 0, 0, 1e-20, 0, 0, 0, 0, 2e-20, 0}}), 1e-6) << "tiny";
  // A flattened world still has a normal where the sheet does not collapse to a line.
  EXPECT_LT(worst_normal_angle({{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0}}), 1e-6) << "flat";
}

TEST(Deform, NormalsWithoutDirectionStayAsTheyWere) {
  Rig rig = elbow(0);
  Affine zero;
  zero.m.fill(0);
  const std::vector<Affine> pose(2, zero);
  const std::vector<Vec3> rest(3, {0, 0, 1});
  std::vector<Vec3> normals(3);
  deform_normals(rig, pose, rest, normals);
  EXPECT_EQ(normals, rest);
}

void expect_kernels_equal_reference(const Rig& rig) {
  kernels::SkinLevel levels[3];
  const std::size_t count = kernels::runnable_skin_levels(levels);
  ASSERT_GE(count, 1u);
  std::vector<Vec3> expected(rig.vertices());
  deform(rig, rig.motion.frame(0), expected);
  std::vector<double> matrices;
  for (const Affine& a : rig.motion.frame(0)) {
    for (std::size_t k = 0; k < 4; ++k) matrices.insert(matrices.end(), {a(0, k), a(1, k), a(2, k), 0.0});
  }
  for (std::size_t level = 0; level < count; ++level) {
    std::vector<Vec3> out(rig.vertices());
    levels[level].function(
        {&rig.mesh.positions[0].x, rig.weights.offsets.data(), rig.weights.bones.data(), rig.weights.values.data()},
        matrices.data(), &out[0].x, 0, rig.vertices());
    EXPECT_TRUE(same_bytes(out, expected))
        << levels[level].name << ", " << rig.weights.max_influences() << " influences";
  }
}

TEST(Deform, EveryKernelLevelEqualsTheReference) {
  kernels::SkinLevel levels[3];
  testing::say_skipped_levels(kernels::runnable_skin_levels(levels));
  Random random(6);
  for (std::uint32_t influences = 1; influences <= 12; ++influences) {
    Mesh cloud;
    for (int i = 0; i < 101; ++i) cloud.positions.push_back(testing::random_point(random));
    const Rig rig = testing::random_rig(random, cloud, 12 + influences, influences, 1);
    ASSERT_EQ(rig.weights.max_influences(), influences);
    expect_kernels_equal_reference(rig);
  }
}

/// Every bone takes the one point to zero, so that nothing but the rounding of each single operation is left: the
/// float at the end hides no other order and no fused multiply-add.
TEST(Deform, KernelsRoundAsTheReferenceDoes) {
  Random random(10);
  Mesh cloud;
  cloud.positions.assign(101, {123456.7f, -76543.21f, 98765.4f});
  Rig rig = testing::random_rig(random, cloud, 9, 6, 1);
  for (Affine& a : rig.motion.transforms) {
    a(0, 3) = a(1, 3) = a(2, 3) = 0;
    const auto image = transform(a, std::array<double, 3>{123456.7f, -76543.21f, 98765.4f});
    for (std::size_t r = 0; r < 3; ++r) a(r, 3) = -image[r];
  }
  expect_kernels_equal_reference(rig);
}

TEST(Deform, KernelsWriteOnlyTheirRange) {
  Random random(7);
  const Rig rig = testing::random_rig(random, testing::sheet_of_quads(6), 4, 3, 1);
  std::vector<Vec3> expected(rig.vertices()), out(rig.vertices(), {-7, -7, -7});
  deform(rig, rig.motion.frame(0), expected);
  FrameSkinner skinner(rig);
  skinner.set_pose(rig.motion.frame(0));
  skinner.evaluate(out, 5, 19);
  for (std::size_t i = 0; i < out.size(); ++i) {
    EXPECT_EQ(out[i], i >= 5 && i < 19 ? expected[i] : (Vec3{-7, -7, -7})) << i;
  }
}

TEST(Deform, BakeEqualsTheReferenceForAnyThreadCount) {
  Random random(8);
  const Rig rig = testing::random_rig(random, testing::sheet_of_quads(9), 7, 5, 23);
  std::vector<Vec3> frame(rig.vertices());
  for (const int threads : {1, 2, 7}) {
    const Sequence baked = bake(rig, marrow::Run{.threads = threads});
    EXPECT_NO_THROW(validate(baked));
    EXPECT_EQ(baked.mesh, rig.mesh);
    EXPECT_EQ(baked.timeline, rig.motion.timeline);
    for (std::size_t t = 0; t < rig.frames(); ++t) {
      deform(rig, rig.motion.frame(t), frame);
      EXPECT_TRUE(same_bytes(baked.frame(t), frame)) << "frame " << t << ", " << threads << " threads";
    }
  }
}

TEST(Deform, BakeOfNothing) {
  Rig rig;
  rig.weights.offsets = {0};
  EXPECT_EQ(bake(rig).frames(), 0u);
  rig.motion.timeline = Timeline::uniform(3, 30);
  EXPECT_EQ(bake(rig).frames(), 3u);
  EXPECT_TRUE(bake(rig).positions.empty());
}

TEST(Deform, BakeRefusesABrokenRig) {
  Rig rig = elbow(1);
  rig.weights.bones[3] = 2;
  EXPECT_THROW(bake(rig), Error);
}

TEST(Deform, BakeReportsAndStops) {
  Random random(9);
  const Rig rig = testing::random_rig(random, testing::cube_of_quads(), 2, 2, 200);
  std::stop_source source;
  const marrow::Run run{.stop = source.get_token(),
                        .progress =
                            [&](const Progress& p) {
                              EXPECT_EQ(p.stage, "baking");
                              EXPECT_LT(p.fraction, 1);
                              source.request_stop();
                            },
                        .threads = 2};
  expect_error(ErrorCode::stopped, {}, [&] { bake(rig, run); });
}

}  // namespace
}  // namespace marrow
