#include "metrics/stats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "metrics/umbrella.hpp"
#include "support/expect_error.hpp"
#include "support/shapes.hpp"

namespace marrow {
namespace {

TEST(Stats, NearestRanksOfTwentyValues) {
  // 1 to 20, shuffled: ranks ceil(0.25 * 20) = 5, 10, 15, 19 and ceil(19.8) = 20.
  std::vector<float> values = {7, 20, 3, 15, 11, 1, 18, 5, 9, 13, 2, 19, 4, 16, 12, 6, 17, 8, 10, 14};
  const ErrorStats stats = error_stats(values);
  EXPECT_EQ(stats.q25, 5);
  EXPECT_EQ(stats.median, 10);
  EXPECT_EQ(stats.q75, 15);
  EXPECT_EQ(stats.p95, 19);
  EXPECT_EQ(stats.p99, 20);
  EXPECT_EQ(stats.max, 20);
  EXPECT_DOUBLE_EQ(stats.rms, std::sqrt(2870.0 / 20));  // 20 * 21 * 41 / 6
}

TEST(Stats, NoneAndOneValue) {
  EXPECT_EQ(error_stats({}).rms, 0);
  EXPECT_EQ(error_stats({}).median, 0);
  std::vector<float> one = {3};
  const ErrorStats stats = error_stats(one);
  for (const double v : {stats.rms, stats.max, stats.p99, stats.p95, stats.q75, stats.median, stats.q25}) {
    EXPECT_EQ(v, 3);
  }
}

/// Against a full sort, over sizes around every rounding of the ranks, with ties.
TEST(Stats, PercentilesAgreeWithSorting) {
  Random random(1);
  for (std::size_t n = 1; n <= 401; ++n) {
    std::vector<float> values(n);
    for (float& v : values) v = float(random.index(n)) / 8;
    std::vector<float> sorted = values;
    std::ranges::sort(sorted);
    const auto rank = [&](std::size_t percent) { return sorted[(percent * n + 99) / 100 - 1]; };
    const ErrorStats stats = error_stats(values);
    ASSERT_EQ(stats.q25, rank(25)) << n;
    ASSERT_EQ(stats.median, rank(50)) << n;
    ASSERT_EQ(stats.q75, rank(75)) << n;
    ASSERT_EQ(stats.p95, rank(95)) << n;
    ASSERT_EQ(stats.p99, rank(99)) << n;
    ASSERT_EQ(stats.max, sorted.back()) << n;
  }
}

TEST(Stats, VertexErrorsAreDistances) {
  const std::vector<Vec3> a = {{0, 0, 0}, {1, 2, 3}, {-3e38f, 0, 0}};
  const std::vector<Vec3> b = {{3, 0, -4}, {1, 2, 3}, {3e38f, 0, 0}};
  // The last one, 6e38, is more than a float can hold.
  EXPECT_EQ(vertex_errors(a, b), (std::vector<float>{5, 0, std::numeric_limits<float>::max()}));
  EXPECT_TRUE(vertex_errors({}, {}).empty());
  testing::expect_error(ErrorCode::bad_input, {"vertex_errors: the original has 3 vertices, but the approximation 0"},
                        [&] { vertex_errors(a, {}); });
}

TEST(Stats, UmbrellaOfACube) {
  // Every vertex of the cube has three neighbours. One value v at a corner gives v there and -v / 3 at each of them.
  const Umbrella umbrella(testing::cube_of_quads());
  std::vector<std::array<double, 3>> e(8, {0, 0, 0});
  e[5] = {0, 6, 0};
  EXPECT_DOUBLE_EQ(umbrella.squared_norm(e), 36 + 3 * 4);
  // A constant has no roughness.
  EXPECT_NEAR(umbrella.squared_norm(std::vector<std::array<double, 3>>(8, {1, 2, 3})), 0, 1e-28);
  // x -> x (linear): each corner differs from the mean of its neighbours, one of three of which is across: 1 / 3.
  for (std::size_t v = 0; v < 8; ++v) e[v] = {double(v & 1u), 0, 0};
  EXPECT_NEAR(umbrella.squared_norm(e), 8.0 / 9, 1e-15);
}

}  // namespace
}  // namespace marrow
