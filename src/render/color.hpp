#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "marrow/render.hpp"

namespace marrow {

/// Red, green and blue in linear light, 0 to 1: what may be added and averaged.
using Linear = Eigen::Array3f;

/// Ottosson's OKLab (2020): distances in it follow what the eye tells apart. x: lightness 0 to 1, y: green to red,
/// z: blue to yellow.
using Lab = Eigen::Vector3d;

/// The sRGB transfer curve (IEC 61966-2-1), from stored bytes and back. to_rgb cuts off what is out of range.
Linear to_linear(Rgb color);
Rgb to_rgb(const Linear& color);

Lab to_lab(Rgb color);
Rgb to_rgb(const Lab& color);
/// The colour of this lightness, hue (radians) and at most this chroma that a screen can show.
Rgb lch_to_rgb(double lightness, double chroma, double hue);

}  // namespace marrow
