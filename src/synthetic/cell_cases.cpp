#include "synthetic/cell_cases.hpp"

#include <numeric>

namespace marrow::synthetic {
namespace {

/// The edge between two adjacent corners (they differ in one bit).
std::uint32_t edge_between(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t axis = (a ^ b) == 1 ? 0 : ((a ^ b) == 2 ? 1 : 2);
  return 4 * axis + (a >> (axis + 1) % 3 & 1) + 2 * (a >> (axis + 2) % 3 & 1);
}

struct Sets {
  std::array<std::uint32_t, 12> parent;

  Sets() { std::iota(parent.begin(), parent.end(), 0u); }
  std::uint32_t find(std::uint32_t e) const {
    while (parent[e] != e) e = parent[e];
    return e;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent[find(a)] = find(b); }
};

/// The corners of a side of the cube in cyclic order.
std::array<std::uint32_t, 4> side_corners(std::uint32_t axis, std::uint32_t high) {
  const std::uint32_t base = high << axis, u = 1u << (axis + 1) % 3, v = 1u << (axis + 2) % 3;
  return {base, base | u, base | u | v, base | v};
}

/// Joins the edges of a side that the surface connects: both crossed edges or, if four are crossed, those next to each
/// inside corner.
void join_on_side(std::uint32_t inside, const std::array<std::uint32_t, 4>& corners, Sets& sets) {
  std::array<std::uint32_t, 4> crossed;
  std::size_t count = 0;
  for (std::size_t r = 0; r < 4; ++r) {
    const std::uint32_t a = corners[r], b = corners[(r + 1) % 4];
    if ((inside >> a & 1) != (inside >> b & 1)) crossed[count++] = edge_between(a, b);
  }
  if (count == 2) sets.join(crossed[0], crossed[1]);
  if (count != 4) return;
  for (std::size_t c = 0; c < 4; ++c) {
    const std::uint32_t before = corners[(c + 3) % 4], here = corners[c], after = corners[(c + 1) % 4];
    if (inside >> here & 1) sets.join(edge_between(before, here), edge_between(here, after));
  }
}

CellCase cell_case(std::uint32_t inside) {
  Sets sets;
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    for (const std::uint32_t high : {0u, 1u}) join_on_side(inside, side_corners(axis, high), sets);
  }
  CellCase out;
  out.sheet.fill(CellCase::none);
  std::array<std::uint8_t, 12> number;
  number.fill(CellCase::none);
  for (std::uint32_t e = 0; e < 12; ++e) {
    const auto [a, b] = cell_edge(e);
    if ((inside >> a & 1) == (inside >> b & 1)) continue;
    std::uint8_t& sheet = number[sets.find(e)];
    if (sheet == CellCase::none) sheet = out.sheets++;
    out.sheet[e] = sheet;
  }
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    for (const std::uint32_t high : {0u, 1u}) {
      const auto corners = side_corners(axis, high);
      const auto sheet = [&](std::size_t i) { return out.sheet[edge_between(corners[i], corners[(i + 1) % 4])]; };
      out.folded[axis][high] =
          sheet(0) != CellCase::none && sheet(0) == sheet(1) && sheet(1) == sheet(2) && sheet(2) == sheet(3);
    }
  }
  return out;
}

}  // namespace

std::array<std::uint32_t, 2> cell_edge(std::uint32_t edge) {
  const std::uint32_t axis = edge / 4;
  const std::uint32_t low = (edge & 1) << (axis + 1) % 3 | (edge >> 1 & 1) << (axis + 2) % 3;
  return {low, low | 1u << axis};
}

std::array<CellCase, 256> cell_cases() {
  std::array<CellCase, 256> cases;
  for (std::uint32_t inside = 0; inside < 256; ++inside) cases[inside] = cell_case(inside);
  return cases;
}

}  // namespace marrow::synthetic
