#pragma once

#include "two_layer/coding.hpp"

namespace marrow::two_layer {

/// Least gain of a value of either layer.
struct ValuePrices {
  double coefficient = 0;
  double atom_value = 0;
};

/// Net gain of a new atom with the weights of each vertex: gains of the vertex and those around, minus the price of the
/// values it would keep. A vertex may use the atom alone, as a replacement or as an addition. Tries the vertices with
/// the largest estimates; 0 for the others.
std::vector<float> wins_of_new_atoms(const DenseWeights& weights, const Neighbours& around,
                                     const Dictionary& dictionary, const Coding& coding, const ValuePrices& prices,
                                     const std::vector<float>& hopes, std::size_t slots, const Run& run);

/// The same in any metric; an atom costs `atom_cost`.
std::vector<float> wins_of_new_atoms(const DenseWeights& weights, const Metric& metric, const Neighbours& around,
                                     const Dictionary& dictionary, const Coding& coding, double price, double atom_cost,
                                     const std::vector<float>& hopes, std::size_t slots, const Run& run);

}  // namespace marrow::two_layer
