#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stop_token>

#include "marrow/deform.hpp"
#include "marrow/error.hpp"
#include "marrow/synthetic.hpp"
#include "support/surface.hpp"

namespace marrow {
namespace {

using synthetic::Options;

double distance(const Vec3& a, const Vec3& b) {
  return std::hypot(double(a.x) - b.x, double(a.y) - b.y, double(a.z) - b.z);
}

/// Largest distance that a vertex goes from one frame to another.
double largest_step(const Sequence& sequence, std::size_t from, std::size_t to) {
  double largest = 0;
  for (std::size_t i = 0; i < sequence.vertices(); ++i) {
    largest = std::max(largest, distance(sequence.frame(from)[i], sequence.frame(to)[i]));
  }
  return largest;
}

void expect_about(std::size_t got, std::size_t asked) {
  EXPECT_NEAR(double(got), double(asked), 0.2 * double(asked));
}

TEST(SyntheticCape, IsOneSheetOfTheSizeAsked) {
  for (const std::size_t vertices : {20u, 100u, 500u}) {
    const Sequence cape = synthetic::cape({.vertices = vertices, .frames = 2});
    validate(cape);
    EXPECT_EQ(count_shells(cape.mesh), 1u);
    EXPECT_EQ(testing::euler(cape.mesh), 1) << "a disc";
    EXPECT_EQ(cape.mesh.uvs.size(), cape.vertices());
    expect_about(cape.vertices(), vertices);
  }
}

struct Stretch {
  double mean = 0, worst = 0;
};

/// Length of the edges over all frames, relative to the rest pose.
Stretch stretch(const Sequence& sequence) {
  const auto all = edges(sequence.mesh);
  Stretch out;
  for (std::size_t t = 0; t < sequence.frames(); ++t) {
    for (const auto& [a, b] : all) {
      const double now = distance(sequence.frame(t)[a], sequence.frame(t)[b]);
      const double ratio = now / distance(sequence.mesh.positions[a], sequence.mesh.positions[b]);
      out.worst = std::max(out.worst, ratio);
      out.mean += ratio / double(all.size() * sequence.frames());
    }
  }
  return out;
}

TEST(SyntheticCape, StaysWholeForALongTime) {
  const Sequence cape = synthetic::cape({.vertices = 192, .frames = 240});
  validate(cape);
  const Stretch stretched = stretch(cape);
  EXPECT_LT(stretched.worst, 1.1);
  EXPECT_NEAR(stretched.mean, 1, 0.01);
  double most_moved = 0;
  for (std::size_t t = 1; t < cape.frames(); ++t) {
    most_moved = std::max(most_moved, largest_step(cape, 0, t));
    EXPECT_LT(largest_step(cape, t - 1, t), 0.35) << t;
  }
  EXPECT_GT(most_moved, 0.3);
}

TEST(SyntheticCape, InterpolatedFromTheFinestSimulationStretchesLittle) {
  const Sequence cape = synthetic::cape({.vertices = 5000, .frames = 8});
  expect_about(cape.vertices(), 5000);
  const Stretch stretched = stretch(cape);
  EXPECT_LT(stretched.worst, 1.15);
  EXPECT_NEAR(stretched.mean, 1, 0.015);
}

TEST(SyntheticCape, HangsFromMovingShoulders) {
  const Sequence cape = synthetic::cape({.vertices = 300, .frames = 40});
  // The row of 15 at the top is pinned at both ends and keeps its form there; the bottom does not.
  double corner_moved = 0;
  for (std::size_t t = 0; t < cape.frames(); ++t) {
    const auto now = cape.frame(t);
    EXPECT_NEAR(distance(now[0], now[14]), distance(cape.mesh.positions[0], cape.mesh.positions[14]), 1e-5);
    corner_moved = std::max(corner_moved, distance(now[0], cape.frame(0)[0]));
    EXPECT_LT(now[cape.vertices() - 8].y, now[0].y - 0.5f) << "hangs down";
  }
  EXPECT_GT(corner_moved, 0.05);
}

TEST(SyntheticCape, DependsOnSeedAndNotOnThreads) {
  const Options options{.vertices = 100, .frames = 6, .noise = 0.001, .seed = 3};
  const Sequence one = synthetic::cape(options, {.threads = 1});
  EXPECT_EQ(synthetic::cape(options, {.threads = 3}).positions, one.positions);
  Options other = options;
  other.noise = 0;
  const Sequence clean = synthetic::cape(other);
  EXPECT_NE(clean.positions, one.positions) << "noise";
  other.seed = 4;
  EXPECT_NE(synthetic::cape(other).positions, clean.positions);
}

TEST(SyntheticCape, StopsAndReports) {
  std::stop_source source;
  int reports = 0;
  marrow::Run run{.stop = source.get_token(), .progress = [&](const Progress& p) {
                    EXPECT_LE(p.fraction, 1);
                    if (++reports == 3) source.request_stop();
                  }};
  try {
    synthetic::cape({.vertices = 100, .frames = 50}, run);
    FAIL() << "did not stop";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::stopped);
  }
  EXPECT_EQ(reports, 3);
}

TEST(SyntheticJelly, IsAClosedBall) {
  for (const std::size_t vertices : {30u, 100u, 500u, 2000u, 20'000u}) {
    const Sequence jelly = synthetic::jelly({.vertices = vertices, .frames = 2});
    validate(jelly);
    EXPECT_TRUE(testing::is_closed(jelly.mesh));
    EXPECT_EQ(testing::euler(jelly.mesh), 2);
    EXPECT_EQ(count_shells(jelly.mesh), 1u);
    expect_about(jelly.vertices(), vertices);
  }
  EXPECT_GE(synthetic::jelly({.vertices = 20, .frames = 2}).vertices(), 20u);
  const Sequence jelly = synthetic::jelly({.vertices = 5000, .frames = 2});
  EXPECT_NEAR(testing::volume(jelly.mesh, jelly.mesh.positions), 4 * std::numbers::pi / 3, 0.02);
}

TEST(SyntheticJelly, WobblesSmoothlyKeepsItsVolumeAndLoops) {
  const Sequence jelly = synthetic::jelly({.vertices = 600, .frames = 60});
  const double rest = testing::volume(jelly.mesh, jelly.mesh.positions);
  double moved = 0, fastest = 0;
  for (std::size_t t = 0; t < jelly.frames(); ++t) {
    EXPECT_NEAR(testing::volume(jelly.mesh, jelly.frame(t)) / rest, 1, 0.01) << t;
    if (t > 0) fastest = std::max(fastest, largest_step(jelly, t - 1, t));
    moved = std::max(moved, largest_step(jelly, 0, t));
  }
  EXPECT_GT(moved, 0.3);
  EXPECT_LT(fastest, 0.12);
  EXPECT_LT(largest_step(jelly, 59, 0), 1.1 * fastest);
}

TEST(SyntheticJelly, DependsOnSeed) {
  const Options options{.vertices = 100, .frames = 3};
  EXPECT_EQ(synthetic::jelly(options).positions, synthetic::jelly(options).positions);
  EXPECT_NE(synthetic::jelly({.vertices = 100, .frames = 3, .seed = 2}).positions, synthetic::jelly(options).positions);
}

TEST(SyntheticObserve, WithoutNoiseIsTheBakedRig) {
  const Rig rig = synthetic::bar({.vertices = 200, .frames = 5});
  EXPECT_EQ(synthetic::observe(rig).positions, bake(rig).positions);
}

TEST(SyntheticObserve, NoiseHasTheStandardDeviationAsked) {
  const Rig rig = synthetic::bar({.vertices = 2000, .frames = 30});
  const Options options{.noise = 0.01, .seed = 5};
  const Sequence noisy = synthetic::observe(rig, options, {.threads = 1}), clean = bake(rig);
  // The bar's box: 2 long, 0.4 high and wide.
  const double sigma = 0.01 * std::sqrt(2 * 2 + 2 * 0.4 * 0.4);
  double sum = 0, squares = 0, next_frame = 0;
  const std::size_t count = clean.positions.size(), n = clean.vertices();
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 &p = noisy.positions[i], &q = clean.positions[i];
    for (const double d : {double(p.x) - q.x, double(p.y) - q.y, double(p.z) - q.z}) {
      sum += d;
      squares += d * d;
    }
    // Against the same vertex of the next frame: streams must differ.
    const std::size_t k = (i + n) % count;
    next_frame += (double(p.x) - q.x) * (double(noisy.positions[k].x) - clean.positions[k].x);
  }
  const auto draws = double(3 * count);
  EXPECT_NEAR(std::sqrt(squares / draws) / sigma, 1, 0.01);
  EXPECT_NEAR(sum / draws / sigma, 0, 0.01);
  EXPECT_NEAR(next_frame / double(count) / (sigma * sigma), 0, 0.03);

  EXPECT_EQ(synthetic::observe(rig, options, {.threads = 4}).positions, noisy.positions);
  EXPECT_NE(synthetic::observe(rig, {.noise = 0.01, .seed = 6}).positions, noisy.positions);
}

TEST(SyntheticSequences, RefuseBadOptions) {
  const Rig rig = synthetic::bar({.vertices = 100, .frames = 2});
  for (const Options& options : {Options{.vertices = 19}, Options{.frames = 1}, Options{.noise = -1}}) {
    EXPECT_THROW(synthetic::cape(options), Error);
    EXPECT_THROW(synthetic::jelly(options), Error);
    EXPECT_THROW(synthetic::observe(rig, options), Error);
  }
}

}  // namespace
}  // namespace marrow
