#pragma once

#include "lbs/descent.hpp"
#include "skeleton/passes.hpp"

namespace marrow::skeleton {

/// Everything once more from whole weights, each vertex following its strongest bone alone; what became better is kept.
/// Bones that turn nearly in step can stand too far apart: weights between them make up for it, and no small step leads
/// back. From whole weights they begin too close together and stop where they fit. At most `tries` times, `steps`
/// iterations each.
void sharpen(const lbs::Problem& problem, int tries, int steps, Jointed& jointed, const Run& run);

}  // namespace marrow::skeleton
