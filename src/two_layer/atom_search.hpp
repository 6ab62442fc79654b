#pragma once

#include "two_layer/kernels/search.hpp"
#include "two_layer/types.hpp"

namespace marrow::two_layer {

/// A matrix with a row per atom in the tile layout of the kernels; the last atom is repeated as padding.
class AtomTiles {
 public:
  explicit AtomTiles(const Dictionary& rows);
  kernels::AtomTiles view() const { return {padded() / kernels::atom_lanes, columns_, values_.data()}; }
  /// `count` tiles, starting at `first`.
  kernels::AtomTiles part(std::size_t first, std::size_t count) const {
    return {count, columns_, values_.data() + first * kernels::atom_lanes * columns_};
  }
  std::size_t padded() const { return columns_ == 0 ? 0 : values_.size() / columns_; }

  struct Window {
    std::size_t first, count;  ///< tiles
  };
  /// Tiles that a vertex searches: all, or, in a large dictionary, a window that differs per vertex, so that time is
  /// linear.
  Window window_of(std::size_t vertex) const;

 private:
  std::size_t columns_;
  std::vector<float> values_;
};

/// Appends the `count` atoms with the smallest values, ascending; ties: lower index. `least`: smallest value of each
/// tile.
void find_least(const float* values, const float* least, std::size_t atoms, std::size_t count,
                std::vector<std::uint32_t>& found);

/// Searches the whole dictionary for atoms that may suit a vertex.
class AtomSearch {
 public:
  /// Buffers, kept by the caller between searches.
  struct Scratch {
    std::vector<float> values;  ///< one per atom, possibly several times
    std::vector<float> least;   ///< per tile
    std::vector<float> vectors, turned, form;
    std::vector<std::uint32_t> found;
  };
  virtual ~AtomSearch() = default;
  /// Atoms for vertex i, which has `code` now. The result is in `scratch`.
  virtual std::span<const std::uint32_t> find(std::size_t i, const Code& code, Scratch& scratch) const = 0;
};

}  // namespace marrow::two_layer
