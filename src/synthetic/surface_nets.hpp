#pragma once

#include <optional>

#include "synthetic/body.hpp"

namespace marrow::synthetic {

/// The body's surface as quads, by surface nets (Gibson 1998): a vertex in every grid cell that the surface passes
/// through, at the average of the crossings on the cell's edges, and a quad around every grid edge that is crossed.
/// Where separate sheets pass through a cell, each gets its vertex (Nielson 2004), so that they do not stick together.
/// Only blocks of cells near the surface are visited: time and memory grow with the number of vertices.
/// Nothing in the rare case that this grid would still give an edge with four quads; any other spacing will do.
std::optional<Mesh> surface_nets(const Body& body, double spacing);

}  // namespace marrow::synthetic
