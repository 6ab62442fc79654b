#pragma once

#include "marrow/render.hpp"

namespace marrow {

/// Largest width and height of a picture.
inline constexpr int max_image_side = 16384;

/// A picture of one colour. Throws Error{bad_request} if a side is not in 1..max_image_side.
Image make_image(int width, int height, Rgb color, const char* where);

/// Throws Error{bad_input} unless the number of pixels is width x height and the sides are in range.
void check_image(const Image& image, const char* where);

/// Covers `share` (0 to 1) of a pixel with a colour; ignores pixels outside the picture.
void blend(Image& image, int x, int y, Rgb color, float share);

}  // namespace marrow
