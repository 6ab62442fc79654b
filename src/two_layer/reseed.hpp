#pragma once

#include "two_layer/coding.hpp"

namespace marrow::two_layer {

/// Vertices at which a new atom would help most, best first, at most `count`, no two of them neighbours.
std::vector<std::uint32_t> worst_vertices(const std::vector<float>& errors, const ssdr::Neighbours& neighbours,
                                          std::size_t count);

/// Moves up to `share` of the atoms, those that are missed least, to the weights of the worst vertices, as long as more
/// is to be won there than is lost.
void reseed(const DenseWeights& weights, const ssdr::Neighbours& neighbours, const Coded& coded, double share,
            Dictionary& dictionary, Coding& coding);

}  // namespace marrow::two_layer
