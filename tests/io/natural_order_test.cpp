#include "io/natural_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/random.hpp"

namespace marrow {
namespace {

void expect_order(std::vector<std::string> expected) {
  std::vector<std::string> sorted(expected.rbegin(), expected.rend());
  std::ranges::sort(sorted, natural_less);
  EXPECT_EQ(sorted, expected);
}

TEST(NaturalOrder, NumbersCountByValue) {
  expect_order({"frame_1.obj", "frame_2.obj", "frame_10.obj", "frame_100.obj"});
  expect_order({"1", "9", "10", "99", "100"});
  expect_order({"a", "a0", "a1", "a1b", "a2", "ab"});
}

TEST(NaturalOrder, LeadingZerosBreakTies) {
  expect_order({"f1", "f01", "f001", "f2", "f02", "f0010"});
  expect_order({"f1b", "f01b", "f1c", "f01c"});
  expect_order({"0", "00", "000", "1"});
}

TEST(NaturalOrder, SeveralNumbers) {
  expect_order({"take1_frame2", "take1_frame10", "take2_frame1", "take10_frame1"});
  expect_order({"a1b2", "a01b2", "a1b02", "a1b3"});
}

TEST(NaturalOrder, NumbersLongerThanAnyInteger) {
  expect_order({"99999999999999999999999999998", "99999999999999999999999999999", "100000000000000000000000000000"});
}

TEST(NaturalOrder, OtherCharactersGoByBytes) {
  expect_order({"A2", "B1", "a1", "b", "\xC3\xA4"});
  expect_order({"a-1", "a1", "a_1"});
}

TEST(NaturalOrder, IsAStrictTotalOrder) {
  Random random(3);
  std::vector<std::string> names;
  for (int k = 0; k < 120; ++k) {
    std::string name;
    for (std::uint64_t length = random.index(6); length > 0; --length) name += "001279aB_-\xFF"[random.index(11)];
    names.push_back(name);
  }
  for (const auto& a : names) {
    for (const auto& b : names) {
      EXPECT_EQ(natural_less(a, b) + natural_less(b, a), a == b ? 0 : 1) << a << " " << b;
      for (const auto& c : names) {
        const bool chained = natural_less(a, b) && natural_less(b, c);
        EXPECT_TRUE(!chained || natural_less(a, c)) << a << " " << b << " " << c;
      }
    }
  }
}

}  // namespace
}  // namespace marrow
