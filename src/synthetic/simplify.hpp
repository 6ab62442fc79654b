#pragma once

#include "synthetic/common.hpp"

namespace marrow::synthetic {

/// Collapses edges of a closed triangle mesh, cheapest first, down to `vertices` vertices or until no edge can be
/// collapsed safely. Costs are quadric errors (Garland and Heckbert 1997) plus a small distance to the vertices' own
/// places, which keeps triangles even in flat regions. The surface stays closed, with the same number of pieces and
/// handles.
Mesh simplify(const Mesh& mesh, std::size_t vertices);

}  // namespace marrow::synthetic
