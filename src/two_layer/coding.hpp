#pragma once

#include "marrow/run.hpp"
#include "two_layer/blend.hpp"
#include "two_layer/metric.hpp"

namespace marrow::two_layer {

/// Where candidates for a vertex come from.
enum class Reach {
  own,         ///< its own atoms
  ring,        ///< also those of its neighbours; like `everywhere` if it has none
  everywhere,  ///< also the best-suited atoms of the dictionary
};

struct CodingOptions {
  std::size_t slots = 2;  ///< most coefficients per vertex
  Sign sign = Sign::convex;
  double price = 0;  ///< least decrease of the error per further coefficient
  Reach reach = Reach::ring;
  bool losses = false;                      ///< whether to compute Coded::losses
  std::span<const std::uint8_t> only = {};  ///< flags of the vertices to code; empty: all
};

/// Figures of the last coding of each vertex.
struct Coded {
  std::vector<float> errors;  ///< #vertices, minus the error of the given weights
  std::vector<float> losses;  ///< #vertices x max_slots: removal cost of the atom in each slot
  std::vector<float> gains;   ///< #vertices x max_slots: gain of the coefficient in each slot; 0 for the first
};

/// Finds codes for a fixed dictionary (Section 3.4, all vertices at once from the neighbours' previous codes). Never
/// worse than the old codes, including price.
void code_vertices(const Given& given, const Dictionary& dictionary, const CodingOptions& options, Coding& coding,
                   Coded& coded, const Run& run);

}  // namespace marrow::two_layer
