#pragma once

#include <span>

#include "marrow/render.hpp"
#include "render/camera.hpp"

namespace marrow {

/// Draws bones over a finished picture, farthest first, and joints over all of them.
void draw_marks(std::span<const BoneMark> bones, const Camera& camera, Image& image);

}  // namespace marrow
