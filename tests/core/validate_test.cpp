#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "marrow/error.hpp"
#include "marrow/rig.hpp"
#include "marrow/sequence.hpp"
#include "support/shapes.hpp"

namespace marrow {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

/// One way to break a valid thing, and what must be said about it.
template <class T>
struct Fault {
  std::function<void(T&)> plant;
  std::string says;
};

/// Each fault on its own must be found, with the rule and the place.
template <class T>
void expect_found(const T& good, const std::vector<Fault<T>>& faults, const std::function<void(const T&)>& check) {
  ASSERT_NO_THROW(check(good));
  for (const Fault<T>& fault : faults) {
    T bad = good;
    fault.plant(bad);
    try {
      check(bad);
      ADD_FAILURE() << "was accepted: " << fault.says;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_EQ(error.what(), fault.says);
    }
  }
}

/// The cube with one texture coordinate and one normal, used by every corner.
Mesh textured_cube() {
  Mesh mesh = testing::cube_of_quads();
  mesh.uvs = {{0, 0}};
  mesh.normals = {{0, 1, 0}};
  mesh.corner_uvs.assign(24, 0);
  mesh.corner_normals.assign(24, 0);
  return mesh;
}

Rig small_rig() {
  Random random(1);
  return testing::random_rig(random, textured_cube(), 3, 2, 4);
}

TEST(Validate, Mesh) {
  expect_found<Mesh>(
      textured_cube(),
      {{[](Mesh& m) { m.positions[5].y = nan; }, "Mesh: positions[5] is not finite"},
       {[](Mesh& m) { m.normals[0].z = nan; }, "Mesh: normals[0] is not finite"},
       {[](Mesh& m) { m.face_offsets = {0}; }, "Mesh: face_offsets has one entry; it needs none or faces + 1"},
       {[](Mesh& m) { m.face_offsets.clear(); }, "Mesh: face_vertices has entries, but face_offsets has none"},
       {[](Mesh& m) { m.face_offsets[0] = 1; }, "Mesh: face_offsets[0] is not 0"},
       {[](Mesh& m) { m.face_offsets[2] = 6; }, "Mesh: face 1 has fewer than 3 corners"},
       {[](Mesh& m) { m.face_offsets[3] = 0; }, "Mesh: face 2 has fewer than 3 corners"},
       {[](Mesh& m) { m.face_offsets[3] = 0xFFFFFFFF; }, "Mesh: face 3 has fewer than 3 corners"},
       {[](Mesh& m) { m.face_vertices.push_back(0); }, "Mesh: face_offsets ends at 24, but there are 25 face corners"},
       {[](Mesh& m) { m.face_vertices[7] = 8; }, "Mesh: face_vertices[7] is 8, but there are only 8 vertices"},
       {[](Mesh& m) { m.corner_uvs.pop_back(); }, "Mesh: corner_uvs has 23 entries, but there are 24 face corners"},
       {[](Mesh& m) { m.corner_uvs[9] = 1; }, "Mesh: corner_uvs[9] is 1, but there are only 1 uvs"},
       {[](Mesh& m) { m.corner_normals.push_back(0); },
        "Mesh: corner_normals has 25 entries, but there are 24 face corners"},
       {[](Mesh& m) { m.corner_normals[23] = 7; }, "Mesh: corner_normals[23] is 7, but there are only 1 normals"}},
      [](const Mesh& m) { validate(m); });
}

TEST(Validate, EmptyThingsAreValid) {
  EXPECT_NO_THROW(validate(Mesh{}));
  EXPECT_NO_THROW(validate(Timeline{}));
  EXPECT_NO_THROW(validate(Sequence{}));
  EXPECT_NO_THROW(validate(Skeleton{}));
  EXPECT_NO_THROW(validate(Motion{}));
}

TEST(Validate, Timeline) {
  Timeline good = Timeline::uniform(5, 10, "walk");
  good.clips[0].count = 3;
  good.clips.push_back({"run", 3, 2});
  good.times[3] = 0;  // each clip has its own zero
  expect_found<Timeline>(
      good,
      {{[](Timeline& t) { t.clips[1].first = 2; }, R"(Timeline: clip 1 ("run") starts at frame 2 instead of 3)"},
       {[](Timeline& t) { t.clips[0].first = 1; }, R"(Timeline: clip 0 ("walk") starts at frame 1 instead of 0)"},
       {[](Timeline& t) { t.clips[0].count = 0; }, R"(Timeline: clip 0 ("walk") has no frames)"},
       {[](Timeline& t) { t.clips[1].count = 3; }, R"(Timeline: clip 1 ("run") runs past the last of 5 frames)"},
       {[](Timeline& t) { t.clips[1].count = std::size_t(-1); },
        R"(Timeline: clip 1 ("run") runs past the last of 5 frames)"},
       {[](Timeline& t) { t.clips.pop_back(); }, "Timeline: clips cover 3 of 5 frames"},
       {[](Timeline& t) { t.clips.clear(); }, "Timeline: clips cover 0 of 5 frames"},
       {[](Timeline& t) { t.times[4] = infinite; }, "Timeline: time of frame 4 is not finite"},
       {[](Timeline& t) { t.times[0] = -std::numeric_limits<double>::quiet_NaN(); },
        "Timeline: time of frame 0 is not finite"},
       {[](Timeline& t) { t.times[2] = t.times[1]; },
        "Timeline: time of frame 2 (0.1 s) does not come after the frame before it (0.1 s)"}},
      [](const Timeline& t) { validate(t); });
}

TEST(Validate, UniformTimeline) {
  const Timeline timeline = Timeline::uniform(4, 25, "jump");
  EXPECT_EQ(timeline.times, (std::vector<double>{0, 1 / 25.0, 2 / 25.0, 3 / 25.0}));
  EXPECT_EQ(timeline.clips, (std::vector<Clip>{{"jump", 0, 4}}));
}

TEST(Validate, Sequence) {
  Random random(2);
  expect_found<Sequence>(testing::random_sequence(random, textured_cube(), 3),
                         {{[](Sequence& s) { s.mesh.face_offsets[0] = 1; }, "Mesh: face_offsets[0] is not 0"},
                          {[](Sequence& s) { s.timeline.clips.clear(); }, "Timeline: clips cover 0 of 3 frames"},
                          {[](Sequence& s) { s.positions.pop_back(); },
                           "Sequence: positions has 23 entries, but 3 frames of 8 vertices need 24"},
                          {[](Sequence& s) { s.frame(2)[6].x = nan; }, "Sequence: frame 2, vertex 6 is not finite"}},
                         [](const Sequence& s) { validate(s); });
}

TEST(Validate, Skeleton) {
  expect_found<Skeleton>(
      small_rig().skeleton,
      {{[](Skeleton& s) { s.parents.pop_back(); },
        "Skeleton: 3 names, 2 parents and 3 bind transforms: there must be one of each per bone"},
       {[](Skeleton& s) { s.bind.push_back({}); },
        "Skeleton: 3 names, 3 parents and 4 bind transforms: there must be one of each per bone"},
       {[](Skeleton& s) { s.names[1].clear(); }, "Skeleton: bone 1 has no name"},
       {[](Skeleton& s) { s.names[2] = s.names[0]; }, R"(Skeleton: bone 2 has the name "bone_000" of an earlier bone)"},
       {[](Skeleton& s) { s.parents[1] = 1; }, "Skeleton: parent of bone 1 is 1: it must be -1 or an earlier bone"},
       {[](Skeleton& s) { s.parents[0] = 2; }, "Skeleton: parent of bone 0 is 2: it must be -1 or an earlier bone"},
       {[](Skeleton& s) { s.parents[2] = -2; }, "Skeleton: parent of bone 2 is -2: it must be -1 or an earlier bone"},
       {[](Skeleton& s) { s.bind[1](0, 3) = infinite; },
        R"(Skeleton: bind transform of bone 1 ("bone_001") is not invertible)"},
       {[](Skeleton& s) { s.bind[2](0, 0) = 0; },
        R"(Skeleton: bind transform of bone 2 ("bone_002") is not invertible)"}},
      [](const Skeleton& s) { validate(s); });
}

TEST(Validate, Motion) {
  expect_found<Motion>(
      small_rig().motion,
      {{[](Motion& m) { m.timeline.times[3] = infinite; }, "Timeline: time of frame 3 is not finite"},
       {[](Motion& m) { m.transforms.pop_back(); }, "Motion: 11 transforms, but 4 frames of 3 bones need 12"},
       {[](Motion& m) { m.bones = 0; }, "Motion: 12 transforms, but 4 frames of 0 bones need 0"},
       {[](Motion& m) { m.frame(2)[1](1, 1) = infinite; }, "Motion: transform of bone 1 in frame 2 is not finite"}},
      [](const Motion& m) { validate(m); });
}

TEST(Validate, Weights) {
  // Vertex 0 follows bones 0 and 2, vertex 1 follows bone 1.
  const Weights good{.offsets = {0, 2, 3}, .bones = {0, 2, 1}, .values = {0.25f, 0.75f, 1}};
  const std::string bad_start = "Weights: offsets must hold vertices + 1 entries and start at 0";
  expect_found<Weights>(
      good,
      {{[](Weights& w) { w.offsets.clear(); }, bad_start},
       {[](Weights& w) { w.offsets[0] = 1; }, bad_start},
       {[](Weights& w) { w.values.pop_back(); }, "Weights: 3 bones and 2 values, but offsets ends at 3"},
       {[](Weights& w) { w.offsets[2] = 4; }, "Weights: 3 bones and 3 values, but offsets ends at 4"},
       {[](Weights& w) { w.offsets[1] = 3; }, "Weights: bones of vertex 0 are not sorted, or repeat"},
       {[](Weights& w) {
          w.offsets = {0, 0, 3};
        },
        "Weights: vertex 0 follows no bone"},
       {[](Weights& w) {
          w.offsets = {0, 9, 3};
        },
        "Weights: vertex 0 follows no bone"},
       {[](Weights& w) { w.bones[1] = 3; }, "Weights: vertex 0 follows bone 3 of only 3"},
       {[](Weights& w) { w.bones[1] = 0; }, "Weights: bones of vertex 0 are not sorted, or repeat"},
       {[](Weights& w) {
          w.bones = {2, 0, 1};
        },
        "Weights: bones of vertex 0 are not sorted, or repeat"},
       {[](Weights& w) {
          w.values = {0, 1, 1};
        },
        "Weights: weight of bone 0 at vertex 0 is 0: it must be positive"},
       {[](Weights& w) {
          w.values = {1.5f, -0.5f, 1};
        },
        "Weights: weight of bone 2 at vertex 0 is -0.5: it must be positive"},
       {[](Weights& w) { w.values[2] = nan; }, "Weights: weight of bone 1 at vertex 1 is nan: it must be positive"},
       {[](Weights& w) { w.values[2] = 0.5f; }, "Weights: weights of vertex 1 sum to 0.5 instead of 1"},
       {[](Weights& w) { w.values[2] = 1.5f; }, "Weights: weights of vertex 1 sum to 1.5 instead of 1"}},
      [](const Weights& w) { validate(w, 3); });
}

TEST(Validate, WeightsMaySumToOneWithinRounding) {
  Weights weights{.offsets = {0, 1}, .bones = {0}, .values = {1 - 9e-6f}};
  EXPECT_NO_THROW(validate(weights, 1));
  weights.values[0] = 1 - 1.1e-5f;
  EXPECT_THROW(validate(weights, 1), Error);
}

TEST(Validate, Rig) {
  expect_found<Rig>(
      small_rig(),
      {{[](Rig& r) { r.mesh.positions[0].x = nan; }, "Mesh: positions[0] is not finite"},
       {[](Rig& r) { r.skeleton.names[1].clear(); }, "Skeleton: bone 1 has no name"},
       {[](Rig& r) { r.weights.offsets[0] = 1; }, "Weights: offsets must hold vertices + 1 entries and start at 0"},
       {[](Rig& r) { r.motion.transforms.clear(); }, "Motion: 0 transforms, but 4 frames of 3 bones need 12"},
       {[](Rig& r) {
          r.mesh.positions.push_back({0, 0, 0});
        },
        "Rig: weights for 8 vertices, but the mesh has 9"},
       {[](Rig& r) {
          r.motion.bones = 1;
          r.motion.transforms.resize(4);
        },
        "Rig: motion of 1 bones, but the skeleton has 3"},
       {[](Rig& r) {
          r.motion.bones = 4;
          r.motion.transforms.resize(16);
        },
        "Rig: motion of 4 bones, but the skeleton has 3"}},
      [](const Rig& r) { validate(r); });
}

}  // namespace
}  // namespace marrow
