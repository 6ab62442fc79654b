#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "marrow/render.hpp"

namespace marrow {

/// Linear red, green and blue, 0 to 1: can be added and averaged.
using Linear = Eigen::Array3f;

/// Ottosson's OKLab (2020); distances approximate perceived differences. x: lightness 0 to 1, y: green to red, z: blue
/// to yellow.
using Lab = Eigen::Vector3d;

/// The sRGB transfer curve (IEC 61966-2-1). to_rgb clamps.
Linear to_linear(Rgb color);
Rgb to_rgb(const Linear& color);

Lab to_lab(Rgb color);
Rgb to_rgb(const Lab& color);
/// The displayable colour of this lightness and hue (radians) whose chroma is nearest to, and at most, `chroma`.
Rgb lch_to_rgb(double lightness, double chroma, double hue);

}  // namespace marrow
