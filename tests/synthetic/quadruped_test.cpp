#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "marrow/deform.hpp"
#include "marrow/synthetic.hpp"
#include "support/surface.hpp"

namespace marrow {
namespace {

const Rig& walker() {
  static const Rig rig = synthetic::quadruped({.vertices = 2000, .frames = 60});
  return rig;
}

const Rig& large() {
  static const Rig rig = synthetic::quadruped({.vertices = 50'000, .frames = 2});
  return rig;
}

std::size_t bone(const std::string& name) {
  const auto& names = walker().skeleton.names;
  return std::size_t(std::ranges::find(names, name) - names.begin());
}

char side(const std::string& name) {
  if (name.find("left") != std::string::npos) return 'l';
  return name.find("right") != std::string::npos ? 'r' : 'm';
}

/// Largest difference between the entries of two transforms.
double difference(const Affine& a, const Affine& b) {
  double worst = 0;
  for (std::size_t k = 0; k < 12; ++k) worst = std::max(worst, std::abs(a.m[k] - b.m[k]));
  return worst;
}

TEST(SyntheticQuadruped, HasTwoClips) {
  const auto& clips = walker().motion.timeline.clips;
  ASSERT_EQ(clips.size(), 2u);
  EXPECT_EQ(clips[0], (Clip{"walk", 0, 40}));
  EXPECT_EQ(clips[1], (Clip{"look", 40, 20}));
}

TEST(SyntheticQuadruped, StandsOnTheGroundAndLooksAlongZ) {
  Vec3 low = walker().mesh.positions[0], high = low;
  for (const Vec3& p : walker().mesh.positions) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  EXPECT_NEAR(low.y, 0, 0.02);
  EXPECT_NEAR(high.z - low.z, 1.6, 0.1);
  EXPECT_NEAR(low.x, -high.x, 0.02);
  const auto& bind = walker().skeleton.bind;
  EXPECT_GT(bind[bone("head")](2, 3), bind[bone("pelvis")](2, 3));
  EXPECT_GT(bind[bone("front_left_upper")](0, 3), 0);
}

TEST(SyntheticQuadruped, EveryBoneMovesInBothClips) {
  const Rig& rig = walker();
  for (const Clip& clip : rig.motion.timeline.clips) {
    for (std::size_t j = 0; j < rig.bones(); ++j) {
      double most = 0;
      for (std::size_t t = clip.first; t < clip.first + clip.count; ++t) {
        most = std::max(most, difference(rig.motion.frame(t)[j], rig.motion.frame(clip.first)[j]));
      }
      EXPECT_GT(most, 0.01) << clip.name << " " << rig.skeleton.names[j];
    }
  }
}

TEST(SyntheticQuadruped, ClipsLoop) {
  const Motion& motion = walker().motion;
  for (const Clip& clip : motion.timeline.clips) {
    for (std::size_t j = 0; j < motion.bones; ++j) {
      double largest = 0;
      for (std::size_t t = clip.first + 1; t < clip.first + clip.count; ++t) {
        largest = std::max(largest, difference(motion.frame(t)[j], motion.frame(t - 1)[j]));
      }
      const double seam = difference(motion.frame(clip.first + clip.count - 1)[j], motion.frame(clip.first)[j]);
      EXPECT_LE(seam, 1.1 * largest + 1e-3) << clip.name << " " << walker().skeleton.names[j];
    }
  }
}

TEST(SyntheticQuadruped, FeetStandAtLeastHalfTheTimeOneAfterTheOther) {
  const Rig& rig = walker();
  const Sequence sequence = bake(rig);
  for (std::size_t t = 0; t < 40; ++t) {
    int standing = 0;
    for (const char* leg : {"front_left", "front_right", "hind_left", "hind_right"}) {
      const auto foot = std::uint32_t(bone(std::string(leg) + "_foot"));
      float lowest = 1;
      for (std::size_t i = 0; i < rig.vertices(); ++i) {
        if (rig.weights.row_bones(i).back() == foot) lowest = std::min(lowest, sequence.frame(t)[i].y);
      }
      EXPECT_GT(lowest, -0.03) << leg << " sinks into the ground in frame " << t;
      standing += lowest < 0.03f ? 1 : 0;
    }
    EXPECT_GE(standing, 2) << t;
  }
}

TEST(SyntheticQuadruped, LegsDoNotFollowTheOtherSide) {
  const Rig& rig = walker();
  for (std::size_t i = 0; i < rig.vertices(); ++i) {
    const auto bones = rig.weights.row_bones(i);
    const auto values = rig.weights.row_values(i);
    const auto heaviest = std::size_t(std::ranges::max_element(values) - values.begin());
    const char own = side(rig.skeleton.names[bones[heaviest]]);
    for (const std::uint32_t j : bones) {
      const char other = side(rig.skeleton.names[j]);
      EXPECT_TRUE(own == 'm' || other == 'm' || own == other) << "vertex " << i;
    }
    // Away from the middle nothing of the other side is left.
    const Vec3& p = rig.mesh.positions[i];
    if (std::abs(p.x) < 0.035f) continue;
    for (const std::uint32_t j : bones) EXPECT_NE(side(rig.skeleton.names[j]), p.x > 0 ? 'r' : 'l') << "vertex " << i;
  }
}

TEST(SyntheticQuadruped, WeightsChangeGraduallyOverTheSurface) {
  const Rig& rig = large();
  EXPECT_NEAR(double(rig.vertices()), 50'000, 2500);
  std::vector<float> dense(rig.bones());
  for (const auto& [a, b] : edges(rig.mesh)) {
    std::ranges::fill(dense, 0.0f);
    for (std::size_t e = 0; e < rig.weights.row_bones(a).size(); ++e) {
      dense[rig.weights.row_bones(a)[e]] += rig.weights.row_values(a)[e];
    }
    for (std::size_t e = 0; e < rig.weights.row_bones(b).size(); ++e) {
      dense[rig.weights.row_bones(b)[e]] -= rig.weights.row_values(b)[e];
    }
    for (const float difference : dense) ASSERT_LT(std::abs(difference), 0.2f) << "edge " << a << " " << b;
  }
}

TEST(SyntheticQuadruped, KeepsItsShapeWhileWalking) {
  const Rig& rig = walker();
  const Sequence sequence = bake(rig);
  const double rest = testing::volume(rig.mesh, rig.mesh.positions);
  for (std::size_t t = 0; t < rig.frames(); ++t) {
    EXPECT_NEAR(testing::volume(rig.mesh, sequence.frame(t)) / rest, 1, 0.1) << t;
  }
}

TEST(SyntheticQuadruped, LargeMeshIsStillOneClosedPiece) {
  const Rig& rig = large();
  EXPECT_EQ(count_shells(rig.mesh), 1u);
  EXPECT_TRUE(testing::is_closed(rig.mesh));
  EXPECT_EQ(testing::euler(rig.mesh), 2);
}

TEST(SyntheticPoses, AreUnrelated) {
  const Rig rig = synthetic::poses({.vertices = 100, .frames = 30});
  for (std::size_t t = 1; t < rig.frames(); ++t) {
    for (const std::size_t j : {bone("head"), bone("front_left_foot"), bone("tail_3")}) {
      EXPECT_GT(difference(rig.motion.frame(t)[j], rig.motion.frame(t - 1)[j]), 0.02) << t;
    }
  }
}

}  // namespace
}  // namespace marrow
