#pragma once

#include "two_layer/atom_search.hpp"
#include "two_layer/pose_metric.hpp"

namespace marrow::two_layer {

/// Finds atoms for a vertex by line search in the metric of the poses, from its current blend, and from that blend
/// without each of its atoms.
class PoseSearch final : public AtomSearch {
 public:
  /// The dictionary must not change.
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
