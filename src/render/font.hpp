#pragma once

#include <array>
#include <cstdint>

namespace marrow {

/// A letter of 5 x 7 dots: rows from the top, the leftmost dot in bit 4.
using Glyph = std::array<std::uint8_t, 7>;

/// Size of a letter's cell: one column and two rows more than the letter, which is at the top.
inline constexpr int glyph_columns = 6;
inline constexpr int glyph_rows = 9;

/// The glyph of a printable ASCII character; a box for all others.
const Glyph& glyph(char character);

/// Rows by which the letter extends below the baseline.
int descent(char character);

}  // namespace marrow
