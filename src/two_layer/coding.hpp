#pragma once

#include "core/neighbours.hpp"
#include "marrow/run.hpp"
#include "two_layer/blend.hpp"
#include "two_layer/metric.hpp"

namespace marrow::two_layer {

/// Where atoms for a vertex are looked for.
enum class Reach {
  own,         ///< those that it has
  ring,        ///< those of the vertices around; where there are none, as everywhere
  everywhere,  ///< and those of all others that suit it best
};

struct CodingOptions {
  std::size_t slots = 2;  ///< coefficients per vertex, at most
  Sign sign = Sign::convex;
  double price = 0;  ///< a further coefficient must lower the error by more than this
  Reach reach = Reach::ring;
  bool losses = false;                      ///< whether Coded::losses are wanted
  std::span<const std::uint8_t> only = {};  ///< flags of the vertices to look at; empty: all
};

/// What passes over the vertices leave behind, beside the new coding.
struct Coded {
  std::vector<float> errors;  ///< #vertices, beyond that of the given weights
  std::vector<float> losses;  ///< #vertices x max_slots: how much worse the vertex is without the atom of that slot
  std::vector<float> gains;   ///< #vertices x max_slots: what the coefficient of that slot brought; 0 for the first
};

/// The best codes that can be found, per vertex, for the dictionary as it is (section 3.4, but without order: every
/// vertex looks at what those around it had before). Never worse than the codes that are there, price included.
void code_vertices(const DenseWeights& weights, const Metric& metric, const Neighbours& around,
                   const Dictionary& dictionary, const CodingOptions& options, Coding& coding, Coded& coded,
                   const Run& run);

}  // namespace marrow::two_layer
