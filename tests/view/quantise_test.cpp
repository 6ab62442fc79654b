#include "view/quantise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/random.hpp"
#include "marrow/metrics.hpp"
#include "marrow/synthetic.hpp"
#include "support/shapes.hpp"

namespace marrow::view {
namespace {

std::vector<std::size_t> all_frames(const Sequence& sequence) {
  std::vector<std::size_t> frames(sequence.frames());
  std::iota(frames.begin(), frames.end(), std::size_t(0));
  return frames;
}

/// As the page does it, in floats.
double largest_error(const Sequence& sequence, const QuantisedFrames& q, const std::array<double, 3>& centre) {
  const std::size_t n = sequence.vertices();
  double largest = 0;
  for (std::size_t t = 0; t < sequence.frames(); ++t) {
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3& p = sequence.frame(t)[i];
      const double given[3] = {p.x - centre[0], p.y - centre[1], p.z - centre[2]};
      double squares = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        const float steps = q.values[(3 * t + a) * n + i];
        const float shown = q.origins[3 * t + a] + q.step[a] * steps;
        squares += (shown - given[a]) * (shown - given[a]);
      }
      largest = std::max(largest, std::sqrt(squares));
    }
  }
  return largest;
}

void expect_bound(const Sequence& sequence, const std::array<double, 3>& centre) {
  const QuantisedFrames q = quantise(sequence, all_frames(sequence), centre);
  const double largest = largest_error(sequence, q, centre);
  EXPECT_LE(largest, q.bound);
  EXPECT_GE(largest, 0.3 * q.bound);  // and it is no idle promise
}

TEST(ViewQuantise, NothingIsOffByMoreThanTheBound) {
  Random random(1);
  expect_bound(testing::random_sequence(random, testing::sheet_of_quads(20), 7), {0, 0, 0});
  expect_bound(synthetic::cape({.vertices = 500, .frames = 12}), {0.1, 0.7, -0.2});
}

TEST(ViewQuantise, SixteenBitsOfTheSize) {
  const Sequence jelly = synthetic::jelly({.vertices = 800, .frames = 10});
  const QuantisedFrames q = quantise(jelly, all_frames(jelly), {0, 0, 0});
  EXPECT_LT(q.bound, 1.5e-5 * size_of(jelly.mesh.positions));
}

TEST(ViewQuantise, TravellingCostsNothing) {
  Sequence still = synthetic::jelly({.vertices = 300, .frames = 10});
  Sequence travels = still;
  for (std::size_t t = 0; t < travels.frames(); ++t) {
    for (Vec3& p : travels.frame(t)) p.x += 4 * float(t);
  }
  const double bound = quantise(still, all_frames(still), {0, 0, 0}).bound;
  EXPECT_LT(quantise(travels, all_frames(travels), {0, 0, 0}).bound, 1.5 * bound);
}

TEST(ViewQuantise, FlatAndSingleModelsAreFine) {
  const Mesh sheet = testing::sheet_of_quads(4);
  Sequence flat{sheet, Timeline::uniform(1, 30), {sheet.positions.begin(), sheet.positions.end()}};
  const QuantisedFrames q = quantise(flat, all_frames(flat), {0, 0, 0});
  EXPECT_LE(largest_error(flat, q, {0, 0, 0}), q.bound);
  Sequence point{{}, Timeline::uniform(1, 30), {{5, 6, 7}}};
  point.mesh.positions = {{5, 6, 7}};
  const QuantisedFrames one = quantise(point, all_frames(point), {5, 6, 7});
  EXPECT_LE(largest_error(point, one, {5, 6, 7}), one.bound);
}

TEST(ViewQuantise, TakesTheFramesThatWereAskedFor) {
  Random random(2);
  const Sequence sequence = testing::random_sequence(random, testing::cube_of_quads(), 6);
  const std::vector<std::size_t> some = {1, 4};
  const QuantisedFrames q = quantise(sequence, some, {0, 0, 0});
  EXPECT_EQ(q.origins.size(), 6u);
  ASSERT_EQ(q.values.size(), 2u * 3 * 8);
  const float shown = q.origins[3] + q.step[0] * float(q.values[3 * 8]);
  EXPECT_NEAR(shown, sequence.frame(4)[0].x, q.bound);
}

}  // namespace
}  // namespace marrow::view
