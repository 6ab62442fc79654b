#pragma once

#include "lbs/descent.hpp"

namespace marrow::decomposition {

/// Moves bones from where they are hardly needed to where they would do most: new bones are tried out at the worst
/// place of every bone; the best of them come in, everything settles, as many go out whose loss costs least, and what
/// became better is kept. Ends after `tries`, or when no exchange promises anything.
void relocate(const lbs::Problem& problem, lbs::State& state, int tries, bool patient, const Run& run);

}  // namespace marrow::decomposition
