#pragma once

#include "lbs/descent.hpp"
#include "skeleton/passes.hpp"

namespace marrow::skeleton {

/// Moves bones from where they are hardly needed to where they would do most, as decompose does, but under hard
/// joints: new bones are hung where they fit best, everything settles, as many go out whose loss costs least, and what
/// became better is kept.
void exchange_bones(const lbs::Problem& problem, int tries, Jointed& jointed, const Run& run);

}  // namespace marrow::skeleton
