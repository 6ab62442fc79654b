#pragma once

#include "decompose/descent.hpp"

namespace marrow::ssdr {

/// Moves bones from where they are hardly needed to where the error is: put some in at the worst places, let them
/// settle, take as many out whose loss costs least, settle again, keep what became better. Ends after `tries`, or when
/// every place was tried in vain.
void relocate(const Problem& problem, State& state, int tries, const Run& run);

/// Per bone, about how much the squared error would rise without it.
std::vector<double> removal_costs(const Problem& problem, const State& state, const Run& run);

}  // namespace marrow::ssdr
