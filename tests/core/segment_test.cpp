#include "core/segment.hpp"

#include <gtest/gtest.h>

namespace marrow {
namespace {

TEST(Segment, IsNearestBesideItselfOrAtAnEnd) {
  const Segment segment{{1, 0, 0}, {3, 0, 0}};
  EXPECT_DOUBLE_EQ(segment.squared_distance({1.5, 2, 0}), 4);
  EXPECT_DOUBLE_EQ(segment.squared_distance({0, 2, 0}), 5);
  EXPECT_DOUBLE_EQ(segment.squared_distance({5, 0, -1}), 5);
  EXPECT_DOUBLE_EQ((Segment{{1, 0, 0}, {1, 0, 0}}.squared_distance({1, 3, 4})), 25);
}

}  // namespace
}  // namespace marrow
