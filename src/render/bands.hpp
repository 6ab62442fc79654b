#pragma once

#include <span>

#include "marrow/render.hpp"
#include "render/camera.hpp"
#include "render/surface.hpp"

namespace marrow {

/// What is drawn. Holds references.
struct Scene {
  const Camera& camera;
  const Surface& surface;
  std::span<const std::array<std::uint32_t, 2>> wires;  ///< pairs of vertices
  const GroundShadow* shadow;                           ///< null for none
};

/// Draws the scene in horizontal bands, so that memory does not grow with the picture.
void draw_scene(const Scene& scene, Rgb background, Image& image);

}  // namespace marrow
