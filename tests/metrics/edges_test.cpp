#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "marrow/metrics.hpp"
#include "support/shapes.hpp"

// Degenerate input, storage and JSON.
namespace marrow {
namespace {

void expect_all_finite(const nlohmann::json& json) {
  if (json.is_structured()) {
    for (const auto& part : json) expect_all_finite(part);
  } else {
    EXPECT_TRUE(json.is_number()) << json;
  }
}

TEST(Degenerate, NoFrames) {
  Sequence still;
  still.mesh = testing::cube_of_quads();
  const Metrics m = compare(still, still);
  EXPECT_EQ(m.frames, 0u);
  EXPECT_EQ(m.error.rms, 0);
  EXPECT_EQ(m.per_vertex_rms, std::vector<double>(8, 0));
  EXPECT_GT(m.ball_radius, 0);
  expect_all_finite(nlohmann::json::parse(to_json(m, true)));
}

TEST(Degenerate, NoVertices) {
  Sequence empty;
  empty.timeline = Timeline::uniform(3, 30);
  const Metrics m = compare(empty, empty);
  EXPECT_EQ(m.frames, 3u);
  EXPECT_EQ(m.per_frame.size(), 3u);
  expect_all_finite(nlohmann::json::parse(to_json(m, true)));
  Rig rig;
  rig.weights.offsets = {0};
  rig.motion.timeline = empty.timeline;
  EXPECT_EQ(compare(empty, rig).e_rms, 0);
}

/// One point has no size: percentages and E_RMS are 0, the error itself is not.
TEST(Degenerate, SizeZero) {
  Sequence point;
  point.mesh.positions = {{1, 2, 3}};
  point.timeline = Timeline::uniform(2, 30);
  point.positions = {{0, 0, 0}, {1, 0, 0}};
  Sequence off = point;
  off.positions[1].y = 2;
  const Metrics m = compare(point, off);
  EXPECT_EQ(m.size, 0);
  EXPECT_EQ(m.e_rms, 0);
  EXPECT_EQ(m.percent(m.error.max), 0);
  EXPECT_EQ(m.error.max, 2);
  expect_all_finite(nlohmann::json::parse(to_json(m, true)));
}

/// Without motion there is nothing to measure the distortion against.
TEST(Degenerate, StillOriginal) {
  Sequence still;
  still.mesh = testing::cube_of_quads();
  still.timeline = Timeline::uniform(3, 30);
  for (int t = 0; t < 3; ++t) {
    for (const Vec3& p : still.mesh.positions) still.positions.push_back({p.x / 3, p.y * 0.7f, p.z + 1e5f});
  }
  EXPECT_EQ(compare(still, still).distortion, 0);
  Sequence off = still;
  off.positions[5].x += 1;
  const Metrics m = compare(still, off);
  EXPECT_EQ(m.distortion, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(nlohmann::json::parse(to_json(m))["distortion"].is_null());
}

TEST(Degenerate, TheLargestFloats) {
  constexpr float huge = std::numeric_limits<float>::max();
  Sequence a;
  a.mesh = testing::cube_of_quads();
  for (Vec3& p : a.mesh.positions) p = {p.x > 0 ? huge : -huge, p.y > 0 ? huge : -huge, p.z > 0 ? huge : -huge};
  a.timeline = Timeline::uniform(2, 30);
  a.positions.assign(a.mesh.positions.begin(), a.mesh.positions.end());
  a.positions.insert(a.positions.end(), 8, Vec3{huge, huge, huge});
  Sequence b = a;
  for (Vec3& p : b.positions) p = {-p.x, -p.y, -p.z};
  const Metrics m = compare(a, b);
  EXPECT_EQ(m.error.max, huge);
  EXPECT_NEAR(m.ball_radius / huge, std::sqrt(3.0), 1e-12);
  expect_all_finite(nlohmann::json::parse(to_json(m, true)));
}

Rig rig_of_cubes(std::uint32_t bones, const Affine& bone, std::size_t frames) {
  Random random(1);
  Rig rig = testing::random_rig(random, testing::cube_of_quads(), bones, 1, frames);
  rig.motion.transforms.assign(frames * bones, bone);
  return rig;
}

TEST(Storage, CountsTheLayout) {
  // 8 vertices, 1 bone each, 2 bones, 5 frames. Rest 8 * 12, row lengths 8 * 1, entries 8 * (4 + 1), motion 5 frames of
  // 2 bones.
  const Affine turn{{0, -1, 0, 9, 1, 0, 0, 8, 0, 0, 1, 7}};
  const Bytes rigid = storage(rig_of_cubes(2, turn, 5));
  EXPECT_EQ(rigid.raw_frames, 5u * 8 * 12);
  EXPECT_EQ(rigid.morph_targets, 96u + 5 * 8 * 12 + 5 * 5 * 4);
  EXPECT_EQ(rigid.rig, 96u + 8 + 40 + 5 * 2 * 7 * 4);
  // One frame of one bone scales: that bone takes 12 floats in every frame.
  Rig scaled = rig_of_cubes(2, turn, 5);
  scaled.motion.frame(3)[1](2, 2) = 1.001;
  EXPECT_EQ(storage(scaled).rig, 96u + 8 + 40 + 5 * (7 + 12) * 4);
  // A reflection is no rotation.
  const Affine mirror{{-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
  EXPECT_EQ(storage(rig_of_cubes(1, mirror, 1)).rig, 96u + 8 + 40 + 12 * 4);
  // Rounding to float leaves a rotation rigid.
  const double c = 0.8f, s = 0.6f;
  EXPECT_EQ(storage(rig_of_cubes(1, {{c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, 0}}, 1)).rig, 96u + 8 + 40 + 7 * 4);
}

TEST(Storage, IndicesGrowWithTheBones) {
  EXPECT_EQ(storage(rig_of_cubes(256, {}, 0)).rig, 96u + 8 + 8 * (4 + 1));
  EXPECT_EQ(storage(rig_of_cubes(257, {}, 0)).rig, 96u + 8 + 8 * (4 + 2));
  EXPECT_EQ(storage(rig_of_cubes(65536, {}, 0)).rig, 96u + 8 + 8 * (4 + 2));
  EXPECT_EQ(storage(rig_of_cubes(65537, {}, 0)).rig, 96u + 8 + 8 * (4 + 4));
  EXPECT_EQ(storage(Rig{}).rig, 0u);
  EXPECT_EQ(storage(Rig{}).raw_frames, 0u);
}

TEST(MetricsJson, HasModelUnitsPercentAndListsInOrder) {
  Metrics m;
  m.vertices = 2;
  m.frames = 1;
  m.size = 4;
  m.ball_radius = 2;
  m.e_rms = 1.5;
  m.distortion = 3;
  m.error = {.rms = 1, .max = 2, .p99 = 0.5, .p95 = 0.5, .q75 = 0.25, .median = 0.125, .q25 = 0};
  m.normal_rms = 10;
  m.normal_max = 20;
  m.fairness = 0.5;
  m.per_frame = {m.error};
  m.per_vertex_rms = {1, 0};
  m.per_vertex_max = {2, 0};
  m.worst_vertex = 1;
  const auto json = nlohmann::ordered_json::parse(to_json(m));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"vertices", "frames", "size", "ball_radius", "e_rms", "distortion", "error",
                                            "error_percent", "normal_rms", "normal_max", "fairness", "fairness_percent",
                                            "worst_frame", "worst_vertex", "per_frame"}));
  EXPECT_EQ(json["error"].dump(), R"({"rms":1.0,"max":2.0,"p99":0.5,"p95":0.5,"q75":0.25,"median":0.125,"q25":0.0})");
  EXPECT_EQ(json["error_percent"].dump(),
            R"({"rms":25.0,"max":50.0,"p99":12.5,"p95":12.5,"q75":6.25,"median":3.125,"q25":0.0})");
  EXPECT_EQ(json["fairness_percent"], 12.5);
  EXPECT_EQ(json["worst_vertex"], 1);
  EXPECT_EQ(json["per_frame"]["max"].dump(), "[2.0]");
  EXPECT_EQ(json["per_frame"].size(), 7u);
  const auto with_vertices = nlohmann::json::parse(to_json(m, true));
  EXPECT_EQ(with_vertices["per_vertex"]["rms"].dump(), "[1.0,0.0]");
  EXPECT_EQ(with_vertices["per_vertex"]["max"].dump(), "[2.0,0.0]");
}

}  // namespace
}  // namespace marrow
