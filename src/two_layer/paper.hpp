#pragma once

#include "two_layer/factorise.hpp"

namespace marrow::two_layer {

/// Le & Deng 2013, Algorithms 1 and 2 as printed, for comparison: two coefficients of any sign, atoms cut to their
/// `cardinality` largest values and normalised. The number of atoms doubles between optimisations; a stack replaces the
/// recursion.
Factors factorise_as_paper(const DenseWeights& weights, const Neighbours& neighbours, std::size_t atoms,
                           std::size_t cardinality, const Run& run);

}  // namespace marrow::two_layer
