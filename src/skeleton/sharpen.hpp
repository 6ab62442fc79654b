#pragma once

#include "lbs/descent.hpp"
#include "skeleton/passes.hpp"

namespace marrow::skeleton {

/// Solves again from whole weights (every vertex follows only its strongest bone), `steps` iterations; keeps the result
/// if the total falls. At most `tries` times.
void sharpen(const lbs::Problem& problem, int tries, int steps, Jointed& jointed, const Run& run);

}  // namespace marrow::skeleton
