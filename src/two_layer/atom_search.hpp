#pragma once

#include "two_layer/kernels/search.hpp"
#include "two_layer/types.hpp"

namespace marrow::two_layer {

/// A matrix with a row per atom, as the kernels want it. After the last atom come more of it.
class AtomTiles {
 public:
  explicit AtomTiles(const Dictionary& rows);
  kernels::AtomTiles view() const { return {padded() / kernels::atom_lanes, columns_, values_.data()}; }
  /// `count` tiles from `first` on.
  kernels::AtomTiles part(std::size_t first, std::size_t count) const {
    return {count, columns_, values_.data() + first * kernels::atom_lanes * columns_};
  }
  std::size_t padded() const { return columns_ == 0 ? 0 : values_.size() / columns_; }

  struct Window {
    std::size_t first, count;  ///< tiles
  };
  /// What a vertex looks at: all, but of a large dictionary another part for every vertex, so that time stays linear.
  Window window_of(std::size_t vertex) const;

 private:
  std::size_t columns_;
  std::vector<float> values_;
};

/// Appends the atoms with the least values, least first; of equals, the first ones. `least`: of each tile.
void find_least(const float* values, const float* least, std::size_t atoms, std::size_t count,
                std::vector<std::uint32_t>& found);

/// Looks for atoms anywhere in a dictionary that may suit a vertex.
class AtomSearch {
 public:
  /// Room for a search, kept by the caller, so that it is not made anew each time.
  struct Scratch {
    std::vector<float> values;  ///< #atoms, or more of these
    std::vector<float> least;   ///< of each tile
    std::vector<float> vectors, turned, form;
    std::vector<std::uint32_t> found;
  };
  virtual ~AtomSearch() = default;
  /// The atoms for vertex i, which has this code now; they stay in `scratch`.
  virtual std::span<const std::uint32_t> find(std::size_t i, const Code& code, Scratch& scratch) const = 0;
};

}  // namespace marrow::two_layer
