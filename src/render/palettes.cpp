#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/check.hpp"
#include "marrow/render.hpp"
#include "render/color.hpp"
#include "render/heat_scale.hpp"

namespace marrow {

HeatScale::HeatScale() {
  constexpr std::array<Rgb, 8> stops{Rgb{44, 52, 148},  Rgb{36, 106, 190}, Rgb{40, 158, 170}, Rgb{72, 186, 108},
                                     Rgb{176, 208, 66}, Rgb{248, 206, 62}, Rgb{240, 122, 42}, Rgb{190, 24, 36}};
  std::array<Lab, stops.size()> points;
  std::array<double, stops.size()> reached{};  // arc length up to each stop
  std::ranges::transform(stops, points.begin(), [](Rgb c) { return to_lab(c); });
  for (std::size_t e = 1; e < points.size(); ++e) reached[e] = reached[e - 1] + (points[e] - points[e - 1]).norm();

  std::size_t s = 1;
  for (std::size_t i = 0; i < colors_.size(); ++i) {
    const double length = reached.back() * double(i) / double(colors_.size() - 1);
    while (s + 1 < points.size() && reached[s] < length) ++s;
    const double t = std::min(1.0, (length - reached[s - 1]) / (reached[s] - reached[s - 1]));
    colors_[i] = to_rgb(Lab(points[s - 1] + t * (points[s] - points[s - 1])));
  }
}

Rgb HeatScale::at(double fraction) const {
  const double last = double(colors_.size() - 1);
  return colors_[std::size_t(std::lround(std::clamp(fraction, 0.0, 1.0) * last))];
}

std::vector<Rgb> heat_colors(std::span<const float> values, float top) {
  constexpr const char* where = "heat_colors";
  if (!std::isfinite(top) || top < 0) {
    throw Error(ErrorCode::bad_request, where, fmt::format("top is {}: give the value to draw red, 0 or more", top));
  }
  const HeatScale scale;
  std::vector<Rgb> colors(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    require(!std::isnan(values[i]), where, [&] { return fmt::format("values[{}] is not a number", i); });
    // If top is 0, every value above 0 is red.
    colors[i] = scale.at(values[i] <= 0 ? 0.0 : (values[i] >= top ? 1.0 : double(values[i]) / top));
  }
  return colors;
}

Rgb bone_color(std::size_t j) {
  // Steps of the golden angle separate hues for any count. The closest hues are a Fibonacci number of steps apart: 8,
  // 13, 21, 34, 55, 89. None is a multiple of 6, so that these differ in lightness. Lightness and chroma were searched
  // for the largest minimum distance among the first 32 (0.087 in OKLab) and 100 colours (0.022).
  constexpr std::array<double, 6> lightness{0.682, 0.597, 0.511, 0.853, 0.426, 0.767};
  constexpr std::array<double, 6> chroma{0.126, 0.139, 0.158, 0.169, 0.153, 0.194};
  const double hue = 1.19 + 2 * std::numbers::pi * (2 - std::numbers::phi) * double(j % 10'000);
  return lch_to_rgb(lightness[j % 6], chroma[j % 6], hue);
}

std::vector<Rgb> bone_colors(const Weights& weights, std::size_t bones) {
  validate(weights, bones);
  std::vector<Linear> palette(bones);
  for (std::size_t j = 0; j < bones; ++j) palette[j] = to_linear(bone_color(j));
  std::vector<Rgb> colors(weights.vertices());
  for (std::size_t i = 0; i < colors.size(); ++i) {
    Linear sum = Linear::Zero();
    for (std::uint32_t e = weights.offsets[i]; e < weights.offsets[i + 1]; ++e) {
      sum += weights.values[e] * palette[weights.bones[e]];
    }
    colors[i] = to_rgb(sum);
  }
  return colors;
}

std::vector<Rgb> weight_colors(const Weights& weights, std::uint32_t bone) {
  validate(weights, std::size_t(UINT32_MAX) + 1);
  const Lab none = to_lab({208, 208, 206}), half = to_lab({240, 132, 88}), full = to_lab({146, 8, 30});
  std::vector<Rgb> colors(weights.vertices(), to_rgb(none));
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const auto row = weights.row_bones(i);
    const auto found = std::ranges::lower_bound(row, bone);
    if (found == row.end() || *found != bone) continue;
    const double w = std::min(1.0F, weights.row_values(i)[std::size_t(found - row.begin())]);
    colors[i] = to_rgb(Lab(w < 0.5 ? none + 2 * w * (half - none) : half + (2 * w - 1) * (full - half)));
  }
  return colors;
}

}  // namespace marrow
