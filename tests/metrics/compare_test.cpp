#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "marrow/deform.hpp"
#include "marrow/metrics.hpp"
#include "support/expect_error.hpp"
#include "support/shapes.hpp"

namespace marrow {
namespace {

using testing::expect_error;

Sequence sequence_of(Mesh mesh, const std::vector<std::vector<Vec3>>& frames) {
  Sequence sequence{std::move(mesh), Timeline::uniform(frames.size(), 30), {}};
  for (const auto& frame : frames) sequence.positions.insert(sequence.positions.end(), frame.begin(), frame.end());
  return sequence;
}

Mesh cloud_of(std::vector<Vec3> positions) {
  Mesh mesh;
  mesh.positions = std::move(positions);
  return mesh;
}

/// Unit square facing +z.
Mesh square() {
  Mesh mesh = cloud_of({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}});
  testing::add_face(mesh, {0, 1, 2, 3});
  return mesh;
}

/// Two points 4 apart, so size 4 and ball radius 2. Both move by 2 along y in frame 1: each is 1 from its average
/// twice, |A - average|^2 = 4. Distances: frame 0: 5 and 0; frame 1: 1 and 2. Sum of squares 30.
struct TwoPoints {
  Mesh rest = cloud_of({{0, 0, 0}, {4, 0, 0}});
  Sequence original = sequence_of(rest, {{{0, 0, 0}, {4, 0, 0}}, {{0, 2, 0}, {4, 2, 0}}});
  Sequence approximation = sequence_of(rest, {{{3, 4, 0}, {4, 0, 0}}, {{0, 2, 1}, {4, 2, -2}}});
};

TEST(Compare, EveryFigureByHand) {
  const TwoPoints points;
  const Metrics m = compare(points.original, points.approximation);
  EXPECT_EQ(m.vertices, 2u);
  EXPECT_EQ(m.frames, 2u);
  EXPECT_EQ(m.size, 4);
  EXPECT_EQ(m.ball_radius, 2);
  EXPECT_DOUBLE_EQ(m.e_rms, 1000 * std::sqrt(30.0 / (3 * 2 * 2)) / 2);
  EXPECT_DOUBLE_EQ(m.distortion, 100 * std::sqrt(30.0) / 2);
  EXPECT_DOUBLE_EQ(m.error.rms, std::sqrt(30.0 / 4));
  // Sorted 0 1 2 5: ranks 1, 2, 3, ceil(3.8) = 4, ceil(3.96) = 4.
  EXPECT_EQ(m.error.q25, 0);
  EXPECT_EQ(m.error.median, 1);
  EXPECT_EQ(m.error.q75, 2);
  EXPECT_EQ(m.error.p95, 5);
  EXPECT_EQ(m.error.p99, 5);
  EXPECT_EQ(m.error.max, 5);
  EXPECT_EQ(m.percent(m.error.max), 125);
  ASSERT_EQ(m.per_frame.size(), 2u);
  EXPECT_DOUBLE_EQ(m.per_frame[0].rms, std::sqrt(12.5));
  EXPECT_EQ(m.per_frame[0].max, 5);
  EXPECT_EQ(m.per_frame[0].median, 0);
  EXPECT_EQ(m.per_frame[0].q75, 5);
  EXPECT_DOUBLE_EQ(m.per_frame[1].rms, std::sqrt(2.5));
  EXPECT_EQ(m.per_frame[1].median, 1);
  ASSERT_EQ(m.per_vertex_rms.size(), 2u);
  EXPECT_DOUBLE_EQ(m.per_vertex_rms[0], std::sqrt(13.0));
  EXPECT_DOUBLE_EQ(m.per_vertex_rms[1], std::sqrt(2.0));
  EXPECT_EQ(m.per_vertex_max, (std::vector<double>{5, 2}));
  EXPECT_EQ(m.worst_frame, 0u);
  EXPECT_EQ(m.worst_vertex, 0u);
  // No faces, no surface.
  EXPECT_EQ(m.normal_rms, 0);
  EXPECT_EQ(m.normal_max, 0);
  EXPECT_EQ(m.fairness, 0);
}

TEST(Compare, ScaleIsThatOfTheGivenRestPoseNotOfAFrame) {
  TwoPoints points;
  points.original.mesh.positions[1].x = 8;
  const Metrics m = compare(points.original, points.approximation);
  EXPECT_EQ(m.size, 8);
  EXPECT_EQ(m.ball_radius, 4);
  EXPECT_DOUBLE_EQ(m.e_rms, 1000 * std::sqrt(30.0 / 12) / 4);
}

TEST(Compare, NormalsAndFairnessByHand) {
  const Mesh mesh = square();
  const auto s = float(std::numbers::sqrt2 / 2);
  // Frame 0: turned by 45 degrees about x. Frame 1: exact. Normals: 45 at every vertex of one frame of two.
  const Sequence original = sequence_of(mesh, {mesh.positions, mesh.positions});
  const Sequence turned = sequence_of(mesh, {{{0, 0, 0}, {1, 0, 0}, {1, s, s}, {0, s, s}}, mesh.positions});
  const Metrics a = compare(original, turned);
  EXPECT_NEAR(a.normal_max, 45, 1e-5);
  EXPECT_NEAR(a.normal_rms, 45 / std::numbers::sqrt2, 1e-5);

  // One corner lifted by 0.5 in frame 1: L e is 0.5 there, -0.25 at its two neighbours and 0 across: the squares sum to
  // 0.375 over 8 vertices and frames.
  Sequence lifted = original;
  lifted.frame(1)[0].z = 0.5f;
  EXPECT_DOUBLE_EQ(compare(original, lifted).fairness, std::sqrt(0.375 / 8));
}

TEST(Compare, ReversedSurfaceIsOff180Degrees) {
  const Mesh mesh = square();
  Sequence reversed = sequence_of(mesh, {{{1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {1, 1, 0}}});
  const Metrics m = compare(sequence_of(mesh, {mesh.positions}), reversed);
  EXPECT_NEAR(m.normal_max, 180, 1e-12);
  EXPECT_NEAR(m.normal_rms, 180, 1e-12);
}

TEST(Compare, AShiftIsFairAndKeepsNormals) {
  const Mesh mesh = testing::cube_of_quads();
  const Sequence original = sequence_of(mesh, {mesh.positions});
  Sequence shifted = original;
  for (Vec3& p : shifted.positions) p.x += 0.5f;
  const Metrics m = compare(original, shifted);
  EXPECT_EQ(m.fairness, 0);
  EXPECT_EQ(m.normal_max, 0);
  EXPECT_EQ(m.error.q25, 0.5);
  EXPECT_EQ(m.error.max, 0.5);
}

TEST(Compare, VerticesWithoutFacesAddNothingToTheSurface) {
  Mesh mesh = square();
  mesh.positions.push_back({5, 5, 5});
  const Sequence original = sequence_of(mesh, {mesh.positions});
  Sequence moved = original;
  moved.positions[4] = {9, 9, 9};
  const Metrics m = compare(original, moved);
  EXPECT_GT(m.error.max, 6);
  EXPECT_EQ(m.fairness, 0);
  EXPECT_EQ(m.normal_max, 0);
}

TEST(Compare, IdenticalIsZeroThroughout) {
  Random random(1);
  const Sequence s = testing::random_sequence(random, testing::sheet_of_quads(5), 4);
  const Metrics m = compare(s, s);
  for (const double v : {m.e_rms, m.distortion, m.error.rms, m.error.max, m.normal_rms, m.normal_max, m.fairness}) {
    EXPECT_EQ(v, 0);
  }
}

/// Positions of rest and frames through an affine map of the coordinates that is exact in binary.
Sequence mapped(Sequence sequence, float scale, float shift) {
  for (Vec3& p : sequence.mesh.positions) p = {scale * p.x + shift, scale * p.y, scale * p.z};
  for (Vec3& p : sequence.positions) p = {scale * p.x + shift, scale * p.y, scale * p.z};
  return sequence;
}

/// Coordinates in multiples of 1/256, so that moderate scales and shifts do not round.
Sequence coarse_sequence(std::uint64_t seed) {
  Random random(seed);
  Sequence s = testing::random_sequence(random, testing::sheet_of_quads(6), 5);
  for (Vec3& p : s.positions) p = {std::round(p.x * 256) / 256, std::round(p.y * 256) / 256, p.z};
  return s;
}

TEST(Compare, ScaleChangesModelUnitsOnly) {
  const Sequence a = coarse_sequence(2), b = coarse_sequence(3);
  const Metrics once = compare(a, b), twice = compare(mapped(a, 2, 0), mapped(b, 2, 0));
  EXPECT_DOUBLE_EQ(twice.e_rms, once.e_rms);
  EXPECT_DOUBLE_EQ(twice.distortion, once.distortion);
  EXPECT_EQ(twice.normal_rms, once.normal_rms);
  EXPECT_EQ(twice.error.median, 2 * once.error.median);
  EXPECT_EQ(twice.fairness, 2 * once.fairness);
  EXPECT_DOUBLE_EQ(twice.percent(twice.error.rms), once.percent(once.error.rms));
}

TEST(Compare, ACommonShiftChangesNothing) {
  const Sequence a = coarse_sequence(2), b = coarse_sequence(3);
  const Metrics here = compare(a, b), there = compare(mapped(a, 1, 1024), mapped(b, 1, 1024));
  EXPECT_NEAR(there.e_rms, here.e_rms, 1e-9 * here.e_rms);
  EXPECT_EQ(there.error.rms, here.error.rms);
  EXPECT_NEAR(there.distortion, here.distortion, 1e-9 * here.distortion);
  EXPECT_NEAR(there.normal_rms, here.normal_rms, 1e-9 * here.normal_rms);
}

/// Why FSD dropped the metric of Karni and Gotsman: walking forward makes the same error look smaller.
TEST(Compare, GlobalMotionLowersDistortionButNotERms) {
  Sequence a = coarse_sequence(2), b = coarse_sequence(3);
  const Metrics on_the_spot = compare(a, b);
  for (std::size_t t = 0; t < a.frames(); ++t) {
    for (Sequence* s : {&a, &b}) {
      for (Vec3& p : s->frame(t)) p.x += 16 * float(t);
    }
  }
  const Metrics walking = compare(a, b);
  EXPECT_EQ(walking.e_rms, on_the_spot.e_rms);
  EXPECT_LT(walking.distortion, 0.1 * on_the_spot.distortion);
}

TEST(Compare, AllClipsCount) {
  TwoPoints points;
  points.original.timeline.clips = {{"a", 0, 1}, {"b", 1, 1}};
  points.original.timeline.times = {0, 0};
  const Metrics m = compare(points.original, points.approximation);
  EXPECT_DOUBLE_EQ(m.error.rms, std::sqrt(30.0 / 4));
  EXPECT_EQ(m.per_frame.size(), 2u);
}

TEST(Compare, APlantedErrorIsLocated) {
  Random random(4);
  const Sequence original = testing::random_sequence(random, testing::sheet_of_quads(7), 9);
  Sequence approximation = original;
  approximation.frame(6)[31].y += 0.25f;
  approximation.frame(8)[2].x += 0.125f;
  const Metrics m = compare(original, approximation);
  EXPECT_EQ(m.worst_frame, 6u);
  EXPECT_EQ(m.worst_vertex, 31u);
  EXPECT_NEAR(m.error.max, 0.25, 1e-7);
  EXPECT_EQ(m.error.p99, 0);
  for (std::size_t t = 0; t < 9; ++t) EXPECT_EQ(m.per_frame[t].max > 0, t == 6 || t == 8) << t;
  for (std::size_t i = 0; i < 49; ++i) EXPECT_EQ(m.per_vertex_max[i] > 0, i == 31 || i == 2) << i;
}

TEST(Compare, RigAndItsBakedFramesGiveTheSame) {
  Random random(5);
  const Mesh mesh = testing::sheet_of_quads(8);
  const Rig rig = testing::random_rig(random, mesh, 5, 4, 11);
  const Sequence original = testing::random_sequence(random, mesh, 11);
  EXPECT_EQ(to_json(compare(original, rig), true), to_json(compare(original, bake(rig)), true));
  EXPECT_EQ(compare(bake(rig), rig).error.max, 0);
}

/// More vertices than one chunk of the per-vertex passes.
TEST(Compare, ThreadsDoNotChangeAByte) {
  Random random(6);
  const Mesh mesh = testing::sheet_of_quads(100);
  const Rig rig = testing::random_rig(random, mesh, 6, 4, 5);
  const Sequence original = testing::random_sequence(random, mesh, 5);
  const std::string one = to_json(compare(original, rig, marrow::Run{.threads = 1}), true);
  for (const int threads : {2, 7}) {
    EXPECT_EQ(to_json(compare(original, rig, marrow::Run{.threads = threads}), true) == one, true) << threads;
  }
}

TEST(Compare, MismatchesNameBothNumbers) {
  Random random(7);
  const Sequence a = testing::random_sequence(random, testing::cube_of_quads(), 3);
  const Sequence fewer_vertices = testing::random_sequence(random, square(), 3);
  const Sequence more_frames = testing::random_sequence(random, testing::cube_of_quads(), 5);
  const Rig rig = testing::random_rig(random, testing::cube_of_quads(), 2, 2, 4);
  expect_error(ErrorCode::bad_input, {"compare: the original has 8 vertices, but the approximation 4"},
               [&] { compare(a, fewer_vertices); });
  expect_error(ErrorCode::bad_input, {"compare: the original has 3 frames, but the approximation 5"},
               [&] { compare(a, more_frames); });
  expect_error(ErrorCode::bad_input, {"compare: the original has 3 frames, but the approximation 4"},
               [&] { compare(a, rig); });
}

TEST(Compare, BrokenInputIsRefused) {
  Random random(8);
  const Sequence good = testing::random_sequence(random, testing::cube_of_quads(), 3);
  Sequence bad = good;
  bad.frame(1)[2].y = std::numeric_limits<float>::quiet_NaN();
  expect_error(ErrorCode::bad_input, {"Sequence: frame 1, vertex 2 is not finite"}, [&] { compare(good, bad); });
  expect_error(ErrorCode::bad_input, {"Sequence: frame 1, vertex 2 is not finite"}, [&] { compare(bad, good); });
  Rig rig = testing::random_rig(random, testing::cube_of_quads(), 2, 2, 3);
  rig.weights.bones.back() = 9;
  expect_error(ErrorCode::bad_input, {"Weights: vertex 7 follows bone 9 of only 2"}, [&] { compare(good, rig); });
}

TEST(Compare, ReportsAndStops) {
  Random random(9);
  const Sequence s = testing::random_sequence(random, testing::cube_of_quads(), 200);
  std::vector<double> fractions;
  compare(s, s, marrow::Run{.progress = [&](const Progress& p) {
            EXPECT_EQ(p.stage, "comparing");
            fractions.push_back(p.fraction);
          }});
  ASSERT_GT(fractions.size(), 2u);
  EXPECT_TRUE(std::ranges::is_sorted(fractions));
  EXPECT_EQ(fractions.back(), 1);

  std::stop_source source;
  int reports = 0;
  const marrow::Run run{.stop = source.get_token(),
                        .progress =
                            [&](const Progress&) {
                              ++reports;
                              source.request_stop();
                            },
                        .threads = 2};
  expect_error(ErrorCode::stopped, {}, [&] { compare(s, s, run); });
  EXPECT_EQ(reports, 1);
}

}  // namespace
}  // namespace marrow
