#include "two_layer/far_atoms.hpp"

#include <algorithm>

namespace marrow::two_layer {

constexpr std::size_t partnered = kernels::partnered_atoms, nearest = 12;

FarAtoms::FarAtoms(const DenseWeights& weights, const Dictionary& dictionary)
    : weights_(weights), dictionary_(dictionary), tiles_(dictionary) {}

std::span<const std::uint32_t> FarAtoms::find(std::size_t i, const Code&, Scratch& scratch) const {
  const kernels::AtomTiles atoms = tiles_.view();
  scratch.values.resize(tiles_.padded());
  scratch.least.resize(atoms.tiles);
  scratch.found.clear();
  kernels::search_kernels().distances(atoms, weights_.row(i), scratch.values.data(), scratch.least.data());
  find_least(scratch.values.data(), scratch.least.data(), dictionary_.atoms(), nearest, scratch.found);
  add_partners(weights_.row(i), scratch);
  return scratch.found;
}

void FarAtoms::add_partners(const float* w, Scratch& scratch) const {
  const std::size_t k = dictionary_.bones, count = std::min(partnered, scratch.found.size());
  scratch.vectors.assign(k * partnered, 0);
  float norms[partnered] = {};
  for (std::size_t p = 0; p < count; ++p) {
    const float* d = dictionary_.row(scratch.found[p]);
    for (std::size_t x = 0; x < k; ++x) scratch.vectors[x * partnered + p] = d[x] - w[x];
    norms[p] = scratch.values[scratch.found[p]];
  }
  std::uint32_t partners[partnered] = {};
  kernels::search_kernels().partners(tiles_.view(), {w, scratch.values.data(), scratch.vectors.data(), norms},
                                     partners);
  scratch.found.insert(scratch.found.end(), partners, partners + count);
}

}  // namespace marrow::two_layer
