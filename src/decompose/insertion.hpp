#pragma once

#include "decompose/descent.hpp"

namespace marrow::ssdr {

/// A new bone for one place, and how much it would lower the squared error there with all other bones as they are.
struct Insertion {
  Bones bone;  ///< 3 frames x 4
  double gain = 0;
  std::size_t seed = 0;  ///< vertex in the middle of the place
};

/// Fits a bone to the vertices around `seed`, then gives it and the weights there a few rounds to settle.
Insertion propose_bone(const Problem& problem, const State& state, std::size_t seed);

/// Adds bones to the state and resets it.
void insert_bones(State& state, std::span<const Insertion* const> insertions);

}  // namespace marrow::ssdr
