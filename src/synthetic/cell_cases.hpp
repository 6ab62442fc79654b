#pragma once

#include <array>
#include <cstdint>

namespace marrow::synthetic {

/// Topology of the surface in a cube, given which corners are inside.
///
/// Corner k is at (k & 1, k >> 1 & 1, k >> 2). Edge 4 axis + i runs along `axis`; bit 0 of i is its position along the
/// axis (axis + 1) % 3, bit 1 along (axis + 2) % 3.
struct CellCase {
  static constexpr std::uint8_t none = 0xFF;

  std::uint8_t sheets = 0;             ///< separate pieces of surface in the cube, 0 to 4
  std::array<std::uint8_t, 12> sheet;  ///< sheet that crosses the edge, or `none`
  /// Per axis: whether one sheet crosses all four edges of the low (0) and high (1) side.
  std::array<std::array<bool, 2>, 3> folded{};
};

/// Both corners of an edge.
std::array<std::uint32_t, 2> cell_edge(std::uint32_t edge);

/// The cases of all 256 sets of inside corners (as bits). If two inside corners are diagonally opposite on a side, the
/// surface separates them in both cubes at that side, so that sheets of neighbouring cubes match.
std::array<CellCase, 256> cell_cases();

}  // namespace marrow::synthetic
