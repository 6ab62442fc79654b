#pragma once

#include <optional>

#include "synthetic/body.hpp"

namespace marrow::synthetic {

/// The body's surface as quads by surface nets (Gibson 1998): a vertex in every grid cell that the surface crosses, at
/// the mean of the crossings with its edges, and a quad around every crossed grid edge. Separate sheets in a cell get a
/// vertex each (Nielson 2004), so that they do not stick together. Visits only blocks near the surface: time and memory
/// grow with the number of vertices. nullopt in the rare case that an edge would have four quads; any other spacing
/// will do.
std::optional<Mesh> surface_nets(const Body& body, double spacing);

}  // namespace marrow::synthetic
