#pragma once

#include "lbs/bones.hpp"
#include "lbs/descent.hpp"

namespace marrow::decomposition {

/// A proposed bone. `gain`: decrease of the cost (squared error, and price of influences if there is noise) around it,
/// with all other bones fixed.
struct Insertion {
  lbs::Bones bone;  ///< 3 frames x 4
  double gain = 0;
  std::size_t seed = 0;  ///< centre vertex
};

/// Fits a bone to the vertices around `seed`, then alternates it with the local weights for a few rounds.
Insertion propose_bone(const lbs::Problem& problem, const lbs::State& state, std::size_t seed);

/// For every bone the vertex with the largest cost, averaged with its neighbours, among those not in `tried`.
std::vector<std::uint32_t> worst_places(const lbs::Problem& problem, const lbs::State& state,
                                        const std::vector<bool>& tried);

/// Proposals at the given places, largest gain first.
std::vector<Insertion> propose_bones(const lbs::Problem& problem, const lbs::State& state,
                                     const std::vector<std::uint32_t>& places, const Run& run);

/// Adds bones to the state and resets it.
void insert_bones(lbs::State& state, std::span<const Insertion* const> insertions);

}  // namespace marrow::decomposition
