#pragma once

#include <span>

#include "two_layer/metric.hpp"

namespace marrow::two_layer {

/// The Gram matrix of some atoms for one vertex after the other, in memory that is kept.
class VertexGram {
 public:
  /// For a dictionary that stays as it is.
  VertexGram(const DenseWeights& weights, const Metric& metric, const Dictionary& dictionary);

  /// Of the atoms, and of one more row of weights, where given, as the last.
  void fill(std::size_t i, std::span<const std::uint32_t> atoms, const float* more = nullptr);

  std::size_t count() const { return differences_.count; }
  const float* data() const { return gram_.data(); }
  float operator()(std::size_t r, std::size_t s) const { return gram_[r * Differences::stride + s]; }

 private:
  const DenseWeights& weights_;
  const Metric& metric_;
  const Dictionary& dictionary_;
  Differences differences_;
  GramScratch scratch_;
  Gram gram_;
};

}  // namespace marrow::two_layer
