#pragma once

#include "lbs/descent.hpp"
#include "skeleton/passes.hpp"

namespace marrow::skeleton {

/// Moves bones from where they are least needed to where they gain most, under hard joints. Inserts the best proposals,
/// settles, prunes the same number, and keeps the result if the cost falls. At most `tries` attempts.
void exchange_bones(const lbs::Problem& problem, int tries, Jointed& jointed, const Run& run);

}  // namespace marrow::skeleton
