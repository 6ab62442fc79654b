#include "two_layer/far_atoms.hpp"

#include <algorithm>
#include <cmath>

#include "two_layer/kernels/search.hpp"

namespace marrow::two_layer {
namespace {

constexpr std::size_t lanes = kernels::atom_lanes, partnered = kernels::partnered_atoms, nearest = 12;

kernels::AtomTiles tiles_of(const Dictionary& dictionary, const std::vector<float>& values) {
  return {(dictionary.atoms() + lanes - 1) / lanes, dictionary.bones, values.data()};
}

}  // namespace

FarAtoms::FarAtoms(const Dictionary& dictionary) : dictionary_(dictionary) {
  const std::size_t k = dictionary.bones, last = dictionary.atoms() - 1;
  tiles_.resize((last / lanes + 1) * lanes * k);
  for (std::size_t j = 0; j < tiles_.size() / k; ++j) {
    float* tile = tiles_.data() + j / lanes * lanes * k + j % lanes;
    for (std::size_t x = 0; x < k; ++x) tile[x * lanes] = dictionary.row(std::min(j, last))[x];
  }
}

std::span<const std::uint32_t> FarAtoms::near(const float* weights, Scratch& scratch) const {
  const kernels::AtomTiles atoms = tiles_of(dictionary_, tiles_);
  scratch.distances.resize(atoms.tiles * lanes);
  scratch.least.resize(atoms.tiles);
  kernels::search_kernels().distances(atoms, weights, scratch.distances.data(), scratch.least.data());
  find_nearest(scratch);
  add_partners(weights, scratch);
  return scratch.found;
}

/// Nearest first; of those equally near, the first ones.
void FarAtoms::find_nearest(Scratch& scratch) const {
  const float* distances = scratch.distances.data();
  std::vector<std::uint32_t>& found = scratch.found;
  found.clear();
  float farthest = INFINITY;
  const auto look_at = [&](std::uint32_t j) {
    if (!(distances[j] < farthest)) return;
    if (found.size() == nearest) found.pop_back();
    std::size_t place = found.size();
    while (place > 0 && distances[j] < distances[found[place - 1]]) --place;
    found.insert(found.begin() + std::ptrdiff_t(place), j);
    if (found.size() == nearest) farthest = distances[found.back()];
  };
  const std::size_t m = dictionary_.atoms();
  for (std::size_t tile = 0; tile < scratch.least.size(); ++tile) {
    if (!(scratch.least[tile] < farthest)) continue;
    for (std::size_t j = tile * lanes; j < std::min((tile + 1) * lanes, m); ++j) look_at(std::uint32_t(j));
  }
}

void FarAtoms::add_partners(const float* weights, Scratch& scratch) const {
  const std::size_t k = dictionary_.bones, count = std::min(partnered, scratch.found.size());
  scratch.differences.assign(k * partnered, 0);
  float norms[partnered] = {};
  for (std::size_t p = 0; p < count; ++p) {
    const float* d = dictionary_.row(scratch.found[p]);
    for (std::size_t x = 0; x < k; ++x) scratch.differences[x * partnered + p] = d[x] - weights[x];
    norms[p] = scratch.distances[scratch.found[p]];
  }
  std::uint32_t partners[partnered] = {};
  kernels::search_kernels().partners(tiles_of(dictionary_, tiles_),
                                     {weights, scratch.distances.data(), scratch.differences.data(), norms}, partners);
  scratch.found.insert(scratch.found.end(), partners, partners + count);
}

}  // namespace marrow::two_layer
