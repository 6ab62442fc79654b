// Poses between frames, as players show the file that is written.
#include "marrow/player.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "marrow/deform.hpp"
#include "marrow/io.hpp"
#include "marrow/metrics.hpp"
#include "marrow/synthetic.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/independent_glb.hpp"
#include "support/rigs.hpp"

namespace marrow {
namespace {

using testing::about;
using testing::rotation;
using testing::scaling;

/// Bones that turn, move, stretch along axes that turn, and shear.
std::vector<Rig> moving_rigs() {
  const auto soft = [](std::size_t j, const Vec3& pivot, double s) {
    const Affine turn = rotation(1, 2, 0.5, 2 * s + double(j));
    return about(pivot, rotation(0, 1, 0.2, 1.5 * s) * turn * scaling(1 + s, 1, 1 - 0.5 * s) * inverse(turn));
  };
  const auto growing = [](std::size_t, const Vec3& pivot, double s) {
    return about(pivot, rotation(1, 0, 0.3, 2 * s) * scaling(1 + s, 1 + s, 1 + s));
  };
  return {synthetic::quadruped({.vertices = 300, .frames = 20}), synthetic::shells({.vertices = 120, .frames = 7}, 5),
          testing::tube_rig({.bones = 3, .frames = 9}, soft), testing::tube_rig({.bones = 2, .frames = 9}, growing)};
}

TEST(Player, ShowsBetweenFramesWhatAPlayerShowsOfTheFile) {
  const auto folder = testing::output_folder();
  for (const Rig& rig : moving_rigs()) {
    write_glb(rig, folder / "rig.glb");
    const testing::IndependentGlb glb(folder / "rig.glb");
    const Player player(rig);
    const double size = size_of(rig.mesh.positions);
    std::vector<Vec3> shown(rig.vertices());
    double furthest = 0;
    for (std::size_t c = 0; c < rig.motion.timeline.clips.size(); ++c) {
      const Clip& clip = rig.motion.timeline.clips[c];
      const double* times = rig.motion.timeline.times.data() + clip.first;
      for (std::size_t t = 0; t + 1 < clip.count; ++t) {
        for (const double s : {0.01, 0.3, 0.5, 0.92}) {
          const double seconds = times[t] + s * (times[t + 1] - times[t]);
          deform(rig, player.pose_at(c, seconds), shown);
          const auto played = glb.play(c, seconds);
          for (std::size_t i = 0; i < shown.size(); ++i) {
            furthest = std::max(
                furthest, std::hypot(shown[i].x - played[i][0], shown[i].y - played[i][1], shown[i].z - played[i][2]));
          }
        }
      }
    }
    EXPECT_LT(furthest, 1e-5 * size);
  }
}

TEST(Player, ShowsFramesExactlyAndHoldsTheEnds) {
  for (const Rig& rig : moving_rigs()) {
    const Player player(rig);
    const auto expect_frame = [&](std::size_t clip, double seconds, std::size_t t) {
      const std::vector<Affine> pose = player.pose_at(clip, seconds);
      const auto frame = rig.motion.frame(t);
      EXPECT_TRUE(std::equal(pose.begin(), pose.end(), frame.begin(), frame.end())) << clip << " at " << seconds;
    };
    for (std::size_t c = 0; c < rig.motion.timeline.clips.size(); ++c) {
      const Clip& clip = rig.motion.timeline.clips[c];
      const std::size_t last = clip.first + clip.count - 1;
      for (std::size_t t = clip.first; t <= last; ++t) expect_frame(c, rig.motion.timeline.times[t], t);
      expect_frame(c, rig.motion.timeline.times[clip.first] - 1, clip.first);
      expect_frame(c, rig.motion.timeline.times[last] + 0.001, last);
      expect_frame(c, std::numeric_limits<double>::infinity(), last);
      expect_frame(c, -std::numeric_limits<double>::infinity(), clip.first);
    }
  }
}

TEST(Player, OnePoseIsThatOfThePlayer) {
  const Rig rig = synthetic::arm({.vertices = 60, .frames = 5});
  EXPECT_EQ(pose_at(rig, 0, 0.05), Player(rig).pose_at(0, 0.05));
}

TEST(Player, RefusesWhatIsNotThere) {
  const Rig rig = synthetic::arm({.vertices = 60, .frames = 5});
  testing::expect_error(ErrorCode::bad_request, {"clip", "no clip 1; the rig has 1"}, [&] { pose_at(rig, 1, 0); });
  testing::expect_error(ErrorCode::bad_request, {"seconds"},
                        [&] { pose_at(rig, 0, std::numeric_limits<double>::quiet_NaN()); });
  Rig broken = rig;
  broken.motion.transforms.pop_back();
  testing::expect_error(ErrorCode::bad_input, {}, [&] { pose_at(broken, 0, 0); });
}

}  // namespace
}  // namespace marrow
