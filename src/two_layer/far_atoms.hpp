#pragma once

#include "two_layer/atom_search.hpp"

namespace marrow::two_layer {

/// The atoms nearest to the weights of a vertex, and for some of these the best partner.
class FarAtoms final : public AtomSearch {
 public:
  /// For a dictionary that stays as it is.
  FarAtoms(const DenseWeights& weights, const Dictionary& dictionary);

  std::span<const std::uint32_t> find(std::size_t i, const Code& code, Scratch& scratch) const override;

 private:
  /// Among these atoms; `before` others are before them.
  void add_partners(const kernels::AtomTiles& atoms, std::size_t before, const float* w, Scratch& scratch) const;

  const DenseWeights& weights_;
  const Dictionary& dictionary_;
  AtomTiles tiles_;
};

}  // namespace marrow::two_layer
