#include <gtest/gtest.h>

#include <algorithm>

#include "marrow/rig.hpp"
#include "marrow/sequence.hpp"
#include "support/expect_error.hpp"

namespace marrow {
namespace {

/// Six frames in three clips: "a" has the first two, "b" the next three, "c" the last.
Timeline three_clips() {
  return {{0, 1, 0, 1, 2, 0}, {{"a", 0, 2}, {"b", 2, 3}, {"c", 5, 1}}};
}

TEST(Slice, ClipsAreCutAtTheEnds) {
  const Timeline part = slice(three_clips(), 1, 3);
  EXPECT_EQ(part, (Timeline{{1, 0, 1}, {{"a", 0, 1}, {"b", 1, 2}}}));
  validate(part);
}

TEST(Slice, AClipAllOrNothing) {
  EXPECT_EQ(slice(three_clips(), 2, 3), (Timeline{{0, 1, 2}, {{"b", 0, 3}}}));
  EXPECT_EQ(slice(three_clips(), 0, 6), three_clips());
  EXPECT_EQ(slice(three_clips(), 6, 0), Timeline{});
}

TEST(Slice, FramesOfASequence) {
  Sequence sequence{{}, three_clips(), {}};
  sequence.mesh.positions = {{0, 0, 0}, {1, 0, 0}};
  for (int t = 0; t < 6; ++t) {
    for (int i = 0; i < 2; ++i) sequence.positions.push_back({float(i), float(t), 0});
  }
  const Sequence part = slice(sequence, 2, 3);
  validate(part);
  EXPECT_EQ(part.mesh, sequence.mesh);
  EXPECT_EQ(part.frames(), 3u);
  for (std::size_t t = 0; t < 3; ++t) EXPECT_TRUE(std::ranges::equal(part.frame(t), sequence.frame(2 + t)));
}

TEST(Slice, FramesOfARig) {
  Rig rig{{}, {{"one", "two"}, {-1, 0}, {{}, {}}}, {{0, 1}, {0}, {1}}, {three_clips(), 2, {}}};
  rig.mesh.positions = {{0, 0, 0}};
  for (int k = 0; k < 12; ++k) rig.motion.transforms.push_back(Affine::translation(k, 0, 0));
  const Rig part = slice(rig, 4, 2);
  validate(part);
  EXPECT_EQ(part.skeleton, rig.skeleton);
  EXPECT_EQ(part.weights, rig.weights);
  EXPECT_EQ(part.motion.timeline, slice(rig.motion.timeline, 4, 2));
  for (std::size_t t = 0; t < 2; ++t) EXPECT_TRUE(std::ranges::equal(part.motion.frame(t), rig.motion.frame(4 + t)));
}

TEST(Slice, RefusesFramesThatAreNotThere) {
  const auto expect_refused = [](std::size_t first, std::size_t count, const std::string& message) {
    testing::expect_error(ErrorCode::bad_request, {message}, [&] { slice(three_clips(), first, count); });
  };
  expect_refused(4, 3, "slice: 3 frames from frame 4 were asked for, but there are 6");
  expect_refused(7, 0, "from frame 7");
  expect_refused(1, std::size_t(-1), "from frame 1");
}

}  // namespace
}  // namespace marrow
