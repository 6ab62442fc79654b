#pragma once

#include <span>

#include "marrow/render.hpp"
#include "render/camera.hpp"
#include "render/surface.hpp"

namespace marrow {

/// What is drawn, all of it borrowed.
struct Scene {
  const Camera& camera;
  const Surface& surface;
  std::span<const std::array<std::uint32_t, 2>> wires;  ///< pairs of vertices
  const GroundShadow* shadow;                           ///< null for none
};

/// Draws the scene band by band, so that the memory of the samples does not grow with the picture.
void draw_scene(const Scene& scene, Rgb background, Image& image);

}  // namespace marrow
