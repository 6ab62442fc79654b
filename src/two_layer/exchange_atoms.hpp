#pragma once

#include "two_layer/coding.hpp"

namespace marrow::two_layer {

/// Estimated gain of a new atom at each vertex, from errors alone: its own plus half its neighbours'.
std::vector<float> hopes(const std::vector<float>& errors, const Neighbours& neighbours);

/// Vertices with the largest positive values, descending, at most `count`, none of them neighbours.
std::vector<std::uint32_t> best_places(const std::vector<float>& values, const Neighbours& around, std::size_t count);

/// A vertex whose weights become a new atom, and the gain.
struct NewAtom {
  std::uint32_t vertex;
  float win;
};

struct Exchange {
  std::vector<float> costs;        ///< #atoms: an atom whose removal cost is lower is dropped
  std::vector<NewAtom> new_atoms;  ///< best first
  std::size_t limit = 0;           ///< atoms to drop, at most
  std::size_t most = 0;            ///< atoms in total afterwards, at most
};

/// Drops atoms whose removal cost is below their cost, or below the gain of a new atom; then adds new atoms. `touched`:
/// flags of the vertices that lost an atom or are near a new one.
void exchange_atoms(const Given& given, const Coded& coded, const Exchange& exchange, Dictionary& dictionary,
                    Coding& coding, std::vector<std::uint8_t>& touched);

}  // namespace marrow::two_layer
