#pragma once

#include <cstddef>

#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow::lbs {

/// Weights with the least error for bones with the given motion: at most `influences` per vertex, smoothed over the
/// mesh with strength `smooth` (0: none).
Weights best_weights(const Sequence& sequence, const Motion& motion, std::size_t influences, double smooth,
                     const Run& run);

}  // namespace marrow::lbs
