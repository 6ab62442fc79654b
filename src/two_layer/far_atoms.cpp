// Ours, for Eq. (6) of Le & Deng 2013: candidate atoms from the whole dictionary, by distance to the vertex's weights.
// The paper looks only at the atoms of neighbouring vertices (Algorithm 2, line 4).
#include "two_layer/far_atoms.hpp"

#include <algorithm>

namespace marrow::two_layer {

constexpr std::size_t partnered = kernels::partnered_atoms, nearest = 12;

FarAtoms::FarAtoms(const DenseWeights& weights, const Dictionary& dictionary)
    : weights_(weights), dictionary_(dictionary), tiles_(dictionary) {}

std::span<const std::uint32_t> FarAtoms::find(std::size_t i, const Code&, Scratch& scratch) const {
  constexpr std::size_t in_tile = kernels::atom_lanes;
  const auto [first, count] = tiles_.window_of(i);
  const kernels::AtomTiles atoms = tiles_.part(first, count);
  const std::size_t before = first * in_tile;
  scratch.values.resize(count * in_tile);
  scratch.least.resize(count);
  scratch.found.clear();
  kernels::search_kernels().distances(atoms, weights_.row(i), scratch.values.data(), scratch.least.data());
  find_least(scratch.values.data(), scratch.least.data(), std::min(dictionary_.atoms() - before, count * in_tile),
             nearest, scratch.found);
  add_partners(atoms, before, weights_.row(i), scratch);
  for (std::uint32_t& atom : scratch.found) atom += std::uint32_t(before);
  return scratch.found;
}

void FarAtoms::add_partners(const kernels::AtomTiles& atoms, std::size_t before, const float* w,
                            Scratch& scratch) const {
  const std::size_t bones = dictionary_.bones, count = std::min(partnered, scratch.found.size());
  scratch.vectors.assign(bones * partnered, 0);
  float norms[partnered] = {};
  for (std::size_t p = 0; p < count; ++p) {
    const float* d = dictionary_.row(before + scratch.found[p]);
    for (std::size_t j = 0; j < bones; ++j) scratch.vectors[j * partnered + p] = d[j] - w[j];
    norms[p] = scratch.values[scratch.found[p]];
  }
  std::uint32_t partners[partnered] = {};
  kernels::search_kernels().partners(atoms, {w, scratch.values.data(), scratch.vectors.data(), norms}, partners);
  scratch.found.insert(scratch.found.end(), partners, partners + count);
}

}  // namespace marrow::two_layer
