#pragma once

#include "two_layer/atom_search.hpp"
#include "two_layer/pose_metric.hpp"

namespace marrow::two_layer {

/// The atoms that bring a vertex nearest to its poses, each tried on the straight line from what the vertex blends now,
/// and from what is left of that without one of its atoms.
class PoseSearch final : public AtomSearch {
 public:
  /// For a dictionary that stays as it is.
  PoseSearch(const DenseWeights& weights, const PoseMetric& metric, const Dictionary& dictionary);

  std::span<const std::uint32_t> find(std::size_t i, const Code& code, Scratch& scratch) const override;

 private:
  const DenseWeights& weights_;
  const PoseMetric& metric_;
  const Dictionary& dictionary_;
  AtomTiles tiles_;
  AtomTiles squares_;  ///< d^T H_q d of each atom, one column per form
};

}  // namespace marrow::two_layer
