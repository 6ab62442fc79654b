#pragma once

#include "synthetic/common.hpp"

namespace marrow::synthetic {

/// Collapses edges of a closed triangle mesh, cheapest first, until it has `vertices` vertices or no edge can go
/// without harm. Costs are quadric errors (Garland and Heckbert 1997) plus a small pull towards the vertices' own
/// places, which keeps the triangles even where the surface is flat. The surface stays closed and keeps its number of
/// pieces and handles.
Mesh simplify(const Mesh& mesh, std::size_t vertices);

}  // namespace marrow::synthetic
