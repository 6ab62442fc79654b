#pragma once

#include "two_layer/coding.hpp"

namespace marrow::two_layer {

struct FactorOptions {
  std::size_t atoms = 0;
  double entries = 0;  ///< of both layers together
  std::size_t slots = 2;
  Sign sign = Sign::convex;
  int iterations = 14;
  int far_iterations = 0;  ///< the last so many look for atoms everywhere
};

struct Factors {
  Dictionary dictionary;
  Coding coding;
};

/// W = D A with at most `entries` non-zero values in D and A together.
Factors factorise(const DenseWeights& weights, const Metric& metric, const ssdr::Neighbours& neighbours,
                  const FactorOptions& options, const Run& run);

}  // namespace marrow::two_layer
