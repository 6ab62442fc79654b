#pragma once

#include "two_layer/coding.hpp"

namespace marrow::two_layer {

/// Least gain of a value of either layer.
struct ValuePrices {
  double coefficient = 0;
  double atom_value = 0;
};
struct AtomPrices {
  double coefficient = 0;
  double atom = 0;  ///< whatever its values
};

/// Net gain of a new atom with the weights of each vertex: gains of the vertex and those around, minus the price of the
/// values it would keep. A vertex may use the atom alone, as a replacement or as an addition. Tries the vertices with
/// the largest estimates; 0 for the others.
std::vector<float> wins_of_new_atoms(const Given& given, const Dictionary& dictionary, const Coding& coding,
                                     const ValuePrices& prices, const std::vector<float>& hopes, std::size_t slots,
                                     const Run& run);

/// The same in any metric; an atom costs `prices.atom`.
std::vector<float> wins_of_new_atoms(const Given& given, const Dictionary& dictionary, const Coding& coding,
                                     const AtomPrices& prices, const std::vector<float>& hopes, std::size_t slots,
                                     const Run& run);

}  // namespace marrow::two_layer
