#include "render/color.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

namespace marrow {
namespace {

float decode(std::uint8_t byte) {
  const float v = float(byte) / 255;
  return v <= 0.04045F ? v / 12.92F : std::pow((v + 0.055F) / 1.055F, 2.4F);
}

/// Table for to_linear(), which is called per vertex and per pixel.
const std::array<float, 256>& decoded() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> t{};
    for (std::size_t e = 0; e < t.size(); ++e) t[e] = decode(std::uint8_t(e));
    return t;
  }();
  return table;
}

std::uint8_t encode(float linear) {
  const float v = std::clamp(linear, 0.0F, 1.0F);
  const float curve = v <= 0.0031308F ? 12.92F * v : 1.055F * std::pow(v, 1 / 2.4F) - 0.055F;
  return std::uint8_t(std::lround(255 * curve));
}

/// Matrices of Ottosson, "A perceptual color space for image processing" (2020).
Eigen::Matrix3d cones_of_rgb() {
  return (Eigen::Matrix3d() << 0.4122214708, 0.5363325363, 0.0514459929,  //
          0.2119034982, 0.6806995451, 0.1073969566,                       //
          0.0883024619, 0.2817188376, 0.6299787005)
      .finished();
}

Eigen::Matrix3d lab_of_cones() {
  return (Eigen::Matrix3d() << 0.2104542553, 0.7936177850, -0.0040720468,  //
          1.9779984951, -2.4285922050, 0.4505937099,                       //
          0.0259040371, 0.7827717662, -0.8086757660)
      .finished();
}

Eigen::Array3d lab_to_linear(const Lab& lab) {
  const Eigen::Array3d roots = lab_of_cones().inverse() * lab;
  return cones_of_rgb().inverse() * roots.cube().matrix();
}

}  // namespace

Linear to_linear(Rgb color) {
  const auto& table = decoded();
  return {table[color.r], table[color.g], table[color.b]};
}

Rgb to_rgb(const Linear& color) {
  return {encode(color[0]), encode(color[1]), encode(color[2])};
}

Lab to_lab(Rgb color) {
  const Eigen::Vector3d cones = cones_of_rgb() * to_linear(color).cast<double>().matrix();
  return lab_of_cones() * cones.array().pow(1.0 / 3).matrix();
}

Rgb to_rgb(const Lab& color) {
  return to_rgb(Linear(lab_to_linear(color).cast<float>()));
}

Rgb lch_to_rgb(double lightness, double chroma, double hue) {
  const auto at = [&](double c) { return Lab(lightness, c * std::cos(hue), c * std::sin(hue)); };
  const auto shown = [&](double c) {
    const Eigen::Array3d rgb = lab_to_linear(at(c));
    return rgb.minCoeff() >= 0 && rgb.maxCoeff() <= 1;
  };
  if (shown(chroma)) return to_rgb(at(chroma));
  double inside = 0, outside = chroma;
  for (int step = 0; step < 20; ++step) {
    const double middle = (inside + outside) / 2;
    (shown(middle) ? inside : outside) = middle;
  }
  return to_rgb(at(inside));
}

}  // namespace marrow
