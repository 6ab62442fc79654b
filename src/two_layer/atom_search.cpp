#include "two_layer/atom_search.hpp"

#include <algorithm>
#include <cmath>

namespace marrow::two_layer {

constexpr std::size_t lanes = kernels::atom_lanes, most_tiles = 256;

AtomTiles::AtomTiles(const Dictionary& rows) : columns_(rows.bones) {
  const std::size_t last = rows.atoms() - 1;
  values_.resize((last / lanes + 1) * lanes * columns_);
  for (std::size_t k = 0; k < padded(); ++k) {
    float* tile = values_.data() + k / lanes * lanes * columns_ + k % lanes;
    for (std::size_t j = 0; j < columns_; ++j) tile[j * lanes] = rows.row(std::min(k, last))[j];
  }
}

AtomTiles::Window AtomTiles::window_of(std::size_t vertex) const {
  const std::size_t all = padded() / lanes, count = std::min(all, most_tiles);
  return {vertex * 97 % (all - count + 1), count};
}

void find_least(const float* values, const float* least, std::size_t atoms, std::size_t count,
                std::vector<std::uint32_t>& found) {
  const std::size_t first = found.size();
  float bound = INFINITY;
  const auto look_at = [&](std::uint32_t k) {
    if (!(values[k] < bound)) return;
    if (found.size() == first + count) found.pop_back();
    std::size_t place = found.size();
    while (place > first && values[k] < values[found[place - 1]]) --place;
    found.insert(found.begin() + std::ptrdiff_t(place), k);
    if (found.size() == first + count) bound = values[found.back()];
  };
  for (std::size_t begin = 0; begin < atoms; begin += lanes) {
    if (!(least[begin / lanes] < bound)) continue;
    for (std::size_t k = begin; k < std::min(begin + lanes, atoms); ++k) look_at(std::uint32_t(k));
  }
}

}  // namespace marrow::two_layer
