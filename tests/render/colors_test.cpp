#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "marrow/error.hpp"
#include "marrow/render.hpp"
#include "render/color.hpp"

namespace marrow {
namespace {

double distance(Rgb a, Rgb b) {
  return (to_lab(a) - to_lab(b)).norm();
}

/// Hue in degrees, 0 red, 120 green, 240 blue.
double hue(Rgb c) {
  const double a = c.r - 0.5 * c.g - 0.5 * c.b, b = std::sqrt(0.75) * (c.g - c.b);
  return std::fmod(std::atan2(b, a) * 180 / std::numbers::pi + 360, 360);
}

TEST(Color, BytesSurviveTheRoundTrip) {
  for (int k = 0; k < 256; ++k) {
    const auto byte = std::uint8_t(k), other = std::uint8_t(255 - k);
    const Rgb c{byte, other, 7};
    EXPECT_EQ(to_rgb(to_linear(c)), c);
    EXPECT_EQ(to_rgb(to_lab(c)), c);
  }
  EXPECT_NEAR(to_linear({188, 188, 188})[0], 0.5, 0.005);  // half the light
  EXPECT_NEAR(to_lab({255, 255, 255}).x(), 1, 1e-4);
  // Ottosson's published value for pure red.
  EXPECT_NEAR(to_lab({255, 0, 0}).x(), 0.6280, 1e-3);
  EXPECT_NEAR(to_lab({255, 0, 0}).y(), 0.2249, 1e-3);
  EXPECT_NEAR(to_lab({255, 0, 0}).z(), 0.1258, 1e-3);
}

TEST(HeatColors, RunFromBlueToRed) {
  std::vector<float> values;
  for (int k = 0; k <= 100; ++k) values.push_back(float(k) / 50);
  const std::vector<Rgb> colors = heat_colors(values, 2);
  ASSERT_EQ(colors.size(), 101U);
  EXPECT_NEAR(hue(colors.front()), 235, 15);
  EXPECT_NEAR(hue(colors[40]), 120, 45);
  EXPECT_GT(hue(colors.back()), 340);
  double previous = 260;
  for (const Rgb c : colors) {
    // Past red, hue goes on below 0.
    const double h = hue(c) > 300 ? hue(c) - 360 : hue(c);
    EXPECT_LT(h, previous + 1);
    previous = h;
  }
}

TEST(HeatColors, EqualStepsLookEqual) {
  std::vector<float> values;
  for (int k = 0; k <= 40; ++k) values.push_back(float(k));
  const std::vector<Rgb> colors = heat_colors(values, 40);
  double least = 1, most = 0;
  for (std::size_t k = 1; k < colors.size(); ++k) {
    least = std::min(least, distance(colors[k - 1], colors[k]));
    most = std::max(most, distance(colors[k - 1], colors[k]));
  }
  EXPECT_GT(least, 0.6 * most);
}

TEST(HeatColors, CutOffAndRefuse) {
  const std::vector<Rgb> ends = heat_colors(std::vector<float>{0, 1}, 1);
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Rgb> beyond = heat_colors(std::vector<float>{-5, 7, infinity}, 1);
  EXPECT_EQ(beyond, (std::vector<Rgb>{ends[0], ends[1], ends[1]}));
  // No error at all is a result, too.
  EXPECT_EQ(heat_colors(std::vector<float>{0, 1e-9F}, 0), ends);
  EXPECT_THROW(heat_colors(std::vector<float>{nan}, 1), Error);
  EXPECT_THROW(heat_colors(std::vector<float>{0}, -1), Error);
  EXPECT_THROW(heat_colors(std::vector<float>{0}, nan), Error);
}

double closest_pair(std::size_t bones) {
  std::vector<Lab> palette;
  double least = 1;
  for (std::size_t j = 0; j < bones; ++j) {
    palette.push_back(to_lab(bone_color(j)));
    for (std::size_t i = 0; i < j; ++i) least = std::min(least, (palette[i] - palette[j]).norm());
  }
  return least;
}

TEST(BoneColors, AreToldApart) {
  // In OKLab, 0.02 is about what is just seen.
  EXPECT_GT(closest_pair(32), 0.08);
  EXPECT_GT(closest_pair(100), 0.02);
}

Weights example_weights() {
  return {{0, 1, 3, 4}, {2, 0, 1, 1}, {1, 0.5F, 0.5F, 1}};
}

TEST(BoneColors, MixByWeightInLinearLight) {
  const std::vector<Rgb> colors = bone_colors(example_weights(), 3);
  ASSERT_EQ(colors.size(), 3U);
  EXPECT_EQ(colors[0], bone_color(2));
  EXPECT_EQ(colors[2], bone_color(1));
  EXPECT_EQ(colors[1], to_rgb(Linear((to_linear(bone_color(0)) + to_linear(bone_color(1))) / 2)));
}

TEST(BoneColors, RefuseBonesOutOfRange) {
  EXPECT_THROW(bone_colors(example_weights(), 2), Error);
}

TEST(WeightColors, RunFromGreyToRed) {
  const std::vector<Rgb> colors = weight_colors(example_weights(), 1);
  ASSERT_EQ(colors.size(), 3U);
  EXPECT_LT(std::abs(colors[0].r - colors[0].b), 6);
  EXPECT_GT(colors[0].r, 180);
  EXPECT_GT(colors[1].r, 1.5 * colors[1].b);
  EXPECT_GT(colors[2].r, 4 * colors[2].g);
  EXPECT_GT(to_lab(colors[0]).x(), to_lab(colors[1]).x());
  EXPECT_GT(to_lab(colors[1]).x(), to_lab(colors[2]).x());
  // A bone that nothing follows.
  EXPECT_EQ(weight_colors(example_weights(), 9), std::vector<Rgb>(3, colors[0]));
}

}  // namespace
}  // namespace marrow
