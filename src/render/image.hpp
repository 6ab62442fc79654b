#pragma once

#include "marrow/render.hpp"

namespace marrow {

/// Largest width and height of a picture.
inline constexpr int max_image_side = 16384;

/// A picture of one colour. Throws Error{bad_request} where a side is not in 1..max_image_side.
Image make_image(int width, int height, Rgb color, const char* where);

/// Throws Error{bad_input} unless there is one pixel for each place and the sides are in range.
void check_image(const Image& image, const char* where);

/// Lets a colour cover a share (0 to 1) of a pixel; nothing outside of the picture.
void blend(Image& image, int x, int y, Rgb color, float share);

}  // namespace marrow
