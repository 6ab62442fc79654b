#pragma once

#include <array>
#include <cstdint>

namespace marrow::synthetic {

/// How a surface passes through a cube with corners inside and outside of it.
///
/// Corner k is at (k & 1, k >> 1 & 1, k >> 2). Edge 4 axis + i runs along `axis`; bit 0 of i is its place along the
/// axis (axis + 1) % 3, bit 1 that along (axis + 2) % 3.
struct CellCase {
  static constexpr std::uint8_t none = 0xFF;

  std::uint8_t sheets = 0;             ///< separate pieces of surface in the cube, 0 to 4
  std::array<std::uint8_t, 12> sheet;  ///< which of them crosses the edge, or none
  /// Per axis: whether one sheet crosses all four edges of the cube's low side (0) and high side (1) along it.
  std::array<std::array<bool, 2>, 3> folded{};
};

/// Both ends of an edge.
std::array<std::uint32_t, 2> cell_edge(std::uint32_t edge);

/// For every set of corners inside, as bits. Where the corners inside are across from each other on a side of the cube,
/// the surface separates them, in both cubes that share the side: the sheets of neighbouring cubes fit together.
std::array<CellCase, 256> cell_cases();

}  // namespace marrow::synthetic
