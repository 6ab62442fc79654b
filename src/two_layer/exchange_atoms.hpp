#pragma once

#include "two_layer/coding.hpp"

namespace marrow::two_layer {

/// Vertices at which a new atom would help most, best first, at most `count`, no two of them neighbours.
std::vector<std::uint32_t> worst_vertices(const std::vector<float>& errors, const Neighbours& neighbours,
                                          std::size_t count);

/// What atoms cost: the price of a value, and how many values each has.
struct AtomPrices {
  double value = 0;
  std::vector<std::uint32_t> cardinality;  ///< #atoms
};

/// Takes out atoms that are missed less than they cost, and puts new ones to the weights of vertices where more is to
/// be won than they cost; at most `share` of the atoms either way, and never more than `most` in all. `touched`: flags
/// of the vertices that lost an atom, or have a new one within two edges.
void exchange_atoms(const DenseWeights& weights, const Neighbours& neighbours, const Coded& coded,
                    const AtomPrices& prices, double share, std::size_t most, Dictionary& dictionary, Coding& coding,
                    std::vector<std::uint8_t>& touched);

}  // namespace marrow::two_layer
