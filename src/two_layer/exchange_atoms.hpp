#pragma once

#include "two_layer/coding.hpp"

namespace marrow::two_layer {

/// Estimated gain of a new atom at each vertex, from errors alone: its own plus half its neighbours'.
std::vector<float> hopes(const std::vector<float>& errors, const Neighbours& neighbours);

/// Vertices with the largest positive values, descending, at most `count`, none of them neighbours.
std::vector<std::uint32_t> best_places(const std::vector<float>& values, const Neighbours& around, std::size_t count);

/// A vertex whose weights become a new atom, and the gain.
struct NewAtom {
  std::uint32_t vertex;
  float win;
};

/// Drops at most `limit` atoms whose removal cost is below `costs` (#atoms), or below the gain of a new atom; then adds
/// new atoms, best first, up to `most` in total. `touched`: flags of the vertices that lost an atom or are near a new
/// one.
void exchange_atoms(const DenseWeights& weights, const Neighbours& around, const Coded& coded,
                    const std::vector<float>& costs, const std::vector<NewAtom>& new_atoms, std::size_t limit,
                    std::size_t most, Dictionary& dictionary, Coding& coding, std::vector<std::uint8_t>& touched);

}  // namespace marrow::two_layer
