#pragma once

#include "two_layer/types.hpp"

namespace marrow::two_layer {

/// Atoms from anywhere in the dictionary that may suit a vertex: those nearest to its weights, and for some of these
/// the best partner.
class FarAtoms {
 public:
  /// For a dictionary that stays as it is.
  explicit FarAtoms(const Dictionary& dictionary);

  /// Room for a search, kept by the caller.
  struct Scratch {
    std::vector<float> distances;    ///< #atoms
    std::vector<float> least;        ///< of each tile
    std::vector<float> differences;  ///< #bones x partnered
    std::vector<std::uint32_t> found;
  };
  /// The atoms for a vertex with these weights; they stay in `scratch`.
  std::span<const std::uint32_t> near(const float* weights, Scratch& scratch) const;

 private:
  void find_nearest(Scratch& scratch) const;
  void add_partners(const float* weights, Scratch& scratch) const;

  const Dictionary& dictionary_;
  std::vector<float> tiles_;  ///< the dictionary as the kernels want it; after the last atom come more of it
};

}  // namespace marrow::two_layer
