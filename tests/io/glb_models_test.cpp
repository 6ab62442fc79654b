#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "io/glb.hpp"
#include "marrow/deform.hpp"
#include "support/files.hpp"

// Real models: what is known of them.

namespace marrow {
namespace {

Vec3 extent(std::span<const Vec3> points) {
  Vec3 low = points[0], high = points[0];
  for (const Vec3& p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return {high.x - low.x, high.y - low.y, high.z - low.z};
}

struct Known {
  const char* name;
  std::size_t vertices, faces, bones, frames;
  std::vector<std::string> clips;
  float height;           // in the rest pose
  const char* root_bone;  // the first
};

void PrintTo(const Known& known, std::ostream* out) {
  *out << known.name;
}

class GlbModel : public ::testing::TestWithParam<Known> {};

TEST_P(GlbModel, ReadsAsARig) {
  MARROW_NEEDS_SHARED(shared);
  const Known& known = GetParam();
  const Rig rig = read_rig(shared / "data/models" / (std::string(known.name) + ".glb"));
  validate(rig);
  EXPECT_EQ(rig.vertices(), known.vertices);
  EXPECT_EQ(rig.mesh.faces(), known.faces);
  EXPECT_EQ(rig.bones(), known.bones);
  EXPECT_EQ(rig.frames(), known.frames);
  std::vector<std::string> clips;
  for (const Clip& clip : rig.motion.timeline.clips) clips.push_back(clip.name);
  EXPECT_EQ(clips, known.clips);
  EXPECT_NEAR(extent(rig.mesh.positions).y, known.height, 0.01f * known.height);
  EXPECT_EQ(rig.skeleton.names[0], known.root_bone);

  // Frames have the size of the rest pose, so bones and rest pose are in the same space.
  std::vector<Vec3> posed(rig.vertices());
  deform(rig, rig.motion.frame(0), posed);
  EXPECT_GT(extent(posed).y, 0.8f * known.height);
  EXPECT_LT(extent(posed).y, 1.1f * known.height);
}

INSTANTIATE_TEST_SUITE_P(
    , GlbModel,
    ::testing::Values(Known{"CesiumMan", 3273, 4672, 19, 48, {"clip_0"}, 1.507f, "Skeleton_torso_joint_1"},
                      // The last clip has a gap of 0.2 s between keys, and so is sampled.
                      Known{"Fox", 1728, 576, 24, 83 + 18 + 36, {"Survey", "Walk", "Run"}, 79.03f, "_rootJoint"},
                      Known{"RecursiveSkeletons", 84 * 40, 84 * 76, 840, 61, {"Track0"}, 125.1f, "node_0"},
                      Known{"RiggedFigure", 370, 256, 19, 39, {"clip_0"}, 1.45f, "torso_joint_1"},
                      Known{"RiggedSimple", 160, 188, 2, 50, {"clip_0"}, 9.15f, "Bone"},
                      // Two skins that share joints, in centimetres and z-up.
                      Known{"Soldier", 7434, 11376, 49, 116, {"Idle", "Run", "TPose", "Walk"}, 1.83f, "mixamorig:Hips"},
                      Known{"Xbot",
                            28374,
                            49112,
                            67,
                            266,
                            {"agree", "headShake", "idle", "run", "sad_pose", "sneak_pose", "walk"},
                            1.81f,
                            "mixamorig:Hips"}),
    [](const auto& test) { return test.param.name; });

/// Whether the vertices move between frames.
bool moves(const Sequence& s) {
  const auto first = s.frame(0);
  for (std::size_t t = 1; t < s.frames(); ++t) {
    if (!std::ranges::equal(first, s.frame(t))) return true;
  }
  return false;
}

TEST(GlbModels, MorphTargetsBecomeSequences) {
  MARROW_NEEDS_SHARED(shared);
  struct Morphing {
    const char* name;
    std::size_t vertices, frames, clips;
  };
  for (const Morphing& known :
       {Morphing{"Flamingo", 337, 15, 1}, Morphing{"Horse", 796, 16, 1}, Morphing{"AnimatedMorphCube", 24, 127, 1},
        Morphing{"MorphStressTest", 1528, 281 + 59 + 191, 3}}) {
    const Animated content = read_glb(shared / "data/models" / (std::string(known.name) + ".glb"), {}, {});
    const auto& s = std::get<Sequence>(content);
    validate(s);
    EXPECT_EQ(s.vertices(), known.vertices) << known.name;
    EXPECT_EQ(s.frames(), known.frames) << known.name;
    EXPECT_EQ(s.timeline.clips.size(), known.clips) << known.name;
    EXPECT_TRUE(moves(s)) << known.name;
  }
}

TEST(GlbModels, ARateGivesUniformFrames) {
  MARROW_NEEDS_SHARED(shared);
  const Rig rig = read_rig(shared / "data/models/CesiumMan.glb", {.fps = 60});
  // From 1/24 to 2 s.
  EXPECT_EQ(rig.frames(), 118u);
  EXPECT_NEAR(rig.motion.timeline.times[1] - rig.motion.timeline.times[0], 1.0 / 60, 1e-12);
}

TEST(GlbModels, KnownPositions) {
  MARROW_NEEDS_SHARED(shared);
  // From an evaluation of glTF's formulas in Python that shares nothing with this library.
  struct Point {
    const char* name;
    std::size_t clip, frame, vertex;
    std::array<double, 3> position;
  };
  for (const Point& known : {Point{"CesiumMan", 0, 20, 0, {0.0178715016, 0.9269616677, 0.1067540119}},
                             Point{"CesiumMan", 0, 20, 1000, {-0.1193279681, 1.3940013480, -0.0457469065}},
                             Point{"Xbot", 6, 11, 5000, {-0.1202113055, 0.8799838397, 0.2076751874}},
                             Point{"Fox", 1, 9, 0, {1.3665324832, 36.2338362452, -18.0403804976}},
                             Point{"Fox", 1, 9, 1000, {6.9881236758, 26.4769919766, 16.6009770890}}}) {
    const Rig rig = read_rig(shared / "data/models" / (std::string(known.name) + ".glb"));
    std::vector<Vec3> posed(rig.vertices());
    deform(rig, rig.motion.frame(rig.motion.timeline.clips[known.clip].first + known.frame), posed);
    const Vec3& p = posed[known.vertex];
    const double tolerance = 1e-6 * extent(posed).y;
    EXPECT_NEAR(p.x, known.position[0], tolerance) << known.name;
    EXPECT_NEAR(p.y, known.position[1], tolerance) << known.name;
    EXPECT_NEAR(p.z, known.position[2], tolerance) << known.name;
  }
}

}  // namespace
}  // namespace marrow
