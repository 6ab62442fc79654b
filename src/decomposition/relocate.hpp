#pragma once

#include "lbs/descent.hpp"

namespace marrow::decomposition {

/// Moves bones from where they are least needed to where they gain most. Each attempt inserts the best proposals,
/// settles, removes the same number of cheapest bones, and keeps the result if the error falls. Ends after `tries`
/// attempts, or without proposals. `patient`: remove bones one at a time.
void relocate(const lbs::Problem& problem, lbs::State& state, int tries, bool patient, const Run& run);

}  // namespace marrow::decomposition
