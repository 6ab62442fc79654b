#pragma once

#include <cstddef>

#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow::lbs {

/// The weights with which bones that move as `motion` follow the sequence best: at most `influences` per vertex, with
/// springs of strength `smooth` between neighbours (0: none).
Weights best_weights(const Sequence& sequence, const Motion& motion, std::size_t influences, double smooth,
                     const Run& run);

}  // namespace marrow::lbs
