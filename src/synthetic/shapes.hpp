#pragma once

#include "synthetic/common.hpp"

namespace marrow::synthetic {

// Closed meshes of simple solids with about `vertices` vertices; faces are counter-clockwise seen from outside.

/// The cube [-1, 1]^3 with every face split into a grid of quads. At least 8 vertices.
Mesh cube(std::size_t vertices);
/// The unit ball: a cube projected so that grid lines are great circles at equal angles.
Mesh ball(std::size_t vertices);
/// A ring about the y axis with distance 1 from the axis to the centre of the tube. At least 9 vertices.
Mesh torus(std::size_t vertices, double tube_radius);
/// A round bar along x from 0 to `length` with flat ends. Texture coordinates have a seam along it: u around, v along,
/// both from 0 to 1.
Mesh capped_tube(std::size_t vertices, double length, double radius);

}  // namespace marrow::synthetic
