#pragma once

#include "two_layer/coding.hpp"

namespace marrow::two_layer {

/// What a new atom at each vertex could win, by the errors alone: its own and half of its neighbours'.
std::vector<float> hopes(const std::vector<float>& errors, const Neighbours& neighbours);

/// The vertices with the largest values above 0, largest first, at most `count`, none of them around another.
std::vector<std::uint32_t> best_places(const std::vector<float>& values, const Neighbours& around, std::size_t count);

/// A vertex that a new atom is to have the weights of, and what that wins.
struct NewAtom {
  std::uint32_t vertex;
  float win;
};

/// Takes out atoms that are missed less than they cost, or less than a new one wins, at most `limit`; and puts the new
/// ones in, best first, up to `most` atoms in all. `costs`: #atoms. `touched`: flags of
/// the vertices that lost an atom, or have a new one around them.
void exchange_atoms(const DenseWeights& weights, const Neighbours& around, const Coded& coded,
                    const std::vector<float>& costs, const std::vector<NewAtom>& new_atoms, std::size_t limit,
                    std::size_t most, Dictionary& dictionary, Coding& coding, std::vector<std::uint8_t>& touched);

}  // namespace marrow::two_layer
