#pragma once

#include "two_layer/atom_search.hpp"

namespace marrow::two_layer {

/// Finds the atoms nearest to the weights of a vertex, and for some of them the best partner (Eq. 6).
class FarAtoms final : public AtomSearch {
 public:
  /// The dictionary must not change.
  FarAtoms(const DenseWeights& weights, const Dictionary& dictionary);

  std::span<const std::uint32_t> find(std::size_t i, const Code& code, Scratch& scratch) const override;

 private:
  /// Adds partners from these tiles, which start at atom `before`.
  void add_partners(const kernels::AtomTiles& atoms, std::size_t before, const float* w, Scratch& scratch) const;

  const DenseWeights& weights_;
  const Dictionary& dictionary_;
  AtomTiles tiles_;
};

}  // namespace marrow::two_layer
