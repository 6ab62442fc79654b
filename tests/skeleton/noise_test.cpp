#include "skeleton/noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "decomposition/search_bones.hpp"
#include "lbs/bones.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"
#include "lbs/to_rig.hpp"
#include "lbs/weight_solve.hpp"
#include "marrow/deform.hpp"
#include "marrow/metrics.hpp"
#include "marrow/synthetic.hpp"

namespace marrow::skeleton {
namespace {

class Noise : public ::testing::Test {
 protected:
  const synthetic::Options clean_{.vertices = 600, .frames = 20}, noisy_{.vertices = 600, .frames = 20, .noise = 0.002};
  const Rig truth_ = synthetic::quadruped(clean_);

  decomposition::SearchGround ground(const synthetic::Options& options) const {
    return decomposition::make_ground(synthetic::observe(truth_, options), {.bones = truth_.bones()}, {});
  }
};

TEST_F(Noise, IsMeasuredAndLeftOut) {
  decomposition::SearchGround noisy = ground(noisy_);
  const double lost = noisy.space.lost();
  drop_noise(noisy.neighbours, noisy.space, noisy.sample);
  // What noise really did to the coordinates that stay.
  const lbs::Points without = lbs::make_points(bake(truth_), noisy.space, {}, {});
  double gap = 0;
  for (std::size_t k = 0; k < without.coordinates.size(); ++k) {
    gap += std::pow(noisy.sample.coordinates[k] - without.coordinates[k], 2);
  }
  const double real = gap / double(without.coordinates.size());
  EXPECT_NEAR(noisy.space.noise, real, 0.1 * real);
  EXPECT_LT(noisy.sample.rank, noisy.space.frames * 3 / 2);
  EXPECT_EQ(std::size_t(noisy.space.basis.cols()), noisy.sample.rank);
  EXPECT_GT(noisy.space.lost(), lost);
  // What went and what stayed is all there was.
  const double sigma = noisy_.noise * size_of(truth_.mesh.positions) / noisy.space.radius;
  EXPECT_NEAR(std::hypot(noise_left(noisy.space, noisy.sample), noisy.space.lost()), 1000 * sigma, 50 * sigma);
}

TEST_F(Noise, IsMeasuredInEveryCoordinate) {
  const decomposition::SearchGround noisy = ground(noisy_), clean = ground(clean_);
  const MeasuredNoise noise = measure_noise(noisy.neighbours, noisy.sample);
  const double sigma = noisy_.noise * size_of(truth_.mesh.positions) / noisy.space.radius;
  EXPECT_NEAR(noise.variance, sigma * sigma, 0.1 * sigma * sigma);
  EXPECT_LT(noise.first, noisy.sample.rank);
  EXPECT_EQ(measure_noise(clean.neighbours, clean.sample).variance, 0);
}

TEST_F(Noise, IsNotSeenWhereThereIsNone) {
  const decomposition::SearchGround before = ground(clean_);
  decomposition::SearchGround after = before;
  drop_noise(after.neighbours, after.space, after.sample);
  EXPECT_EQ(after.space.noise, 0);
  EXPECT_EQ(after.sample.coordinates, before.sample.coordinates);
}

TEST_F(Noise, IsNoReasonToFollowMoreBones) {
  decomposition::SearchGround noisy = ground(noisy_);
  drop_noise(noisy.neighbours, noisy.space, noisy.sample);
  const lbs::Bones bones = lbs::to_bones(noisy.space, truth_.motion);
  const std::size_t count = noisy.sample.count;
  const double price = noisy.space.per_influence();
  struct Solved {
    double slots, error = 0;
  };
  const auto solve = [&](double noise) {
    lbs::Space space = noisy.space;
    space.noise = noise;
    lbs::SlotWeights weights;
    weights.resize(noisy.sample.blocks(), 4);
    lbs::solve_weights({space, noisy.sample, noisy.sample.rest, bones}, {}, lbs::Choice::all_bones, weights, {});
    Solved solved{weights.slots_used(count)};
    for (std::size_t i = 0; i < count; ++i) solved.error += weights.errors[i];
    return solved;
  };
  const Solved free = solve(0), priced = solve(noisy.space.noise);
  EXPECT_LT(priced.slots, 0.8 * free.slots);
  EXPECT_LT(priced.error + price * priced.slots, free.error + price * free.slots);
}

}  // namespace
}  // namespace marrow::skeleton
