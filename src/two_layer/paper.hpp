#pragma once

#include "two_layer/factorise.hpp"

namespace marrow::two_layer {

/// Algorithms 1 and 2 of the paper, for comparison: coefficients of any sign, atoms cut to their `cardinality` largest
/// values and divided by the sum. The number of atoms doubles between optimisations; a stack takes the place of the
/// recursion.
Factors factorise_as_paper(const DenseWeights& weights, const Neighbours& neighbours, std::size_t atoms,
                           std::size_t cardinality, const Run& run);

}  // namespace marrow::two_layer
