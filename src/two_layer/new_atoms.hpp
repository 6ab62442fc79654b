#pragma once

#include "two_layer/coding.hpp"

namespace marrow::two_layer {

/// What values of the layers must be worth.
struct ValuePrices {
  double coefficient = 0;
  double atom_value = 0;
};

/// What an atom with the weights of a vertex would win, for each vertex: how much it and the vertices around would
/// gain, minus the price of the values that it would keep. A vertex may take the new atom alone, in place of one that
/// it has, or as one more. Tried where `hopes` are largest; 0 elsewhere.
std::vector<float> wins_of_new_atoms(const DenseWeights& weights, const Neighbours& around,
                                     const Dictionary& dictionary, const Coding& coding, const ValuePrices& prices,
                                     const std::vector<float>& hopes, std::size_t slots, const Run& run);

/// The same in any metric, where an atom costs as much as others do.
std::vector<float> wins_of_new_atoms(const DenseWeights& weights, const Metric& metric, const Neighbours& around,
                                     const Dictionary& dictionary, const Coding& coding, double price, double atom_cost,
                                     const std::vector<float>& hopes, std::size_t slots, const Run& run);

}  // namespace marrow::two_layer
