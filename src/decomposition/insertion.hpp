#pragma once

#include "lbs/bones.hpp"
#include "lbs/descent.hpp"

namespace marrow::decomposition {

/// A new bone for one place, and how much it would lower the squared error (and, where there is noise, the price
/// of influences) there with all other bones as they are.
struct Insertion {
  lbs::Bones bone;  ///< 3 frames x 4
  double gain = 0;
  std::size_t seed = 0;  ///< vertex in the middle of the place
};

/// Fits a bone to the vertices around `seed`, then gives it and the weights there a few rounds to settle.
Insertion propose_bone(const lbs::Problem& problem, const lbs::State& state, std::size_t seed);

/// For every bone the vertex with the largest error (and price), averaged with its neighbours, out of those not yet
/// tried.
std::vector<std::uint32_t> worst_places(const lbs::Problem& problem, const lbs::State& state,
                                        const std::vector<bool>& tried);

/// What new bones would gain at the given places, best first.
std::vector<Insertion> propose_bones(const lbs::Problem& problem, const lbs::State& state,
                                     const std::vector<std::uint32_t>& places, const Run& run);

/// Adds bones to the state and resets it.
void insert_bones(lbs::State& state, std::span<const Insertion* const> insertions);

}  // namespace marrow::decomposition
