#include "synthetic/surface_nets.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <unordered_map>

#include "core/parallel.hpp"
#include "synthetic/cell_cases.hpp"

namespace marrow::synthetic {
namespace {

constexpr std::uint32_t side = 4;             // cells along a block
constexpr std::size_t samples = side + 1;     // grid points along a block
constexpr std::size_t blocks_per_chunk = 64;  // per parallel chunk

using Cell = std::array<std::uint32_t, 3>;
using Cases = std::array<CellCase, 256>;

struct Grid {
  Point origin;
  double spacing;
  std::uint32_t size;  // cells along each axis, a power of two

  double at(Eigen::Index axis, double cells) const { return origin[axis] + spacing * cells; }
  Point at(double x, double y, double z) const { return {at(0, x), at(1, y), at(2, z)}; }
};

/// 64 cells near the surface. Set bits of `active` mark the cells that it crosses; these are numbered from first_cell
/// in the order of the bits.
struct Block {
  Cell corner;
  Body::Parts parts;
  std::uint64_t active = 0;
  std::size_t first_cell = 0;
};

/// A cell that the surface crosses.
struct ActiveCell {
  std::uint32_t first_vertex;  // of its sheets
  std::uint8_t inside;         // bits of the corners inside
};

/// Part of the mesh from one chunk of blocks; its vertices count from 0.
struct MeshPiece {
  std::vector<Vec3> positions;
  std::vector<ActiveCell> cells;
};

Grid grid_around(const Body& body, double spacing) {
  const Point extent = body.high() - body.low();
  const double cells = std::ceil(extent.maxCoeff() / spacing) + 2;
  const std::uint32_t size = std::bit_ceil(std::max(std::uint32_t(cells), side));
  return {body.low() - Point::Constant(spacing), spacing, size};
}

/// Octree descent: skips cubes that the surface cannot reach.
void find_blocks(const Body& body, const Grid& grid, const Cell& corner, std::uint32_t size, const Body::Parts& parts,
                 std::vector<Block>& blocks) {
  const double half = size / 2.0, radius = half * grid.spacing * std::sqrt(3.0);
  Body::Parts kept;
  const double value = body.narrow(grid.at(corner[0] + half, corner[1] + half, corner[2] + half), radius, parts, kept);
  if (std::abs(value) > body.steepest() * radius * (1 + 1e-6)) return;
  if (size == side) {
    blocks.push_back({corner, std::move(kept)});
    return;
  }
  const std::uint32_t step = size / 2;
  for (std::uint32_t child = 0; child < 8; ++child) {
    const Cell next{corner[0] + (child & 1) * step, corner[1] + (child >> 1 & 1) * step,
                    corner[2] + (child >> 2) * step};
    find_blocks(body, grid, next, step, kept, blocks);
  }
}

/// Adds a vertex per sheet, at the mean of its crossings with the edges of the cell.
void add_vertices(const Grid& grid, const Cell& cell, const std::array<double, 8>& values, const CellCase& cell_case,
                  std::vector<Vec3>& positions) {
  std::array<Point, 4> sums;
  std::array<int, 4> crossings{};
  sums.fill(Point::Zero());
  for (std::uint32_t e = 0; e < 12; ++e) {
    const std::uint8_t sheet = cell_case.sheet[e];
    if (sheet == CellCase::none) continue;
    const auto [a, b] = cell_edge(e);
    Point p(a & 1, a >> 1 & 1, a >> 2);
    p[e / 4] = values[a] / (values[a] - values[b]);
    sums[sheet] += p;
    ++crossings[sheet];
  }
  for (std::uint8_t sheet = 0; sheet < cell_case.sheets; ++sheet) {
    const Point p = sums[sheet] / crossings[sheet];
    positions.push_back(to_vec3(grid.at(cell[0] + p.x(), cell[1] + p.y(), cell[2] + p.z())));
  }
}

using BlockValues = std::array<double, samples * samples * samples>;

BlockValues sample(const Body& body, const Grid& grid, const Block& block) {
  BlockValues values;
  std::size_t next = 0;
  std::array<double, samples> along_x;
  for (std::uint32_t x = 0; x < samples; ++x) along_x[x] = grid.at(0, block.corner[0] + x);
  for (std::uint32_t z = 0; z < samples; ++z) {
    const double along_z = grid.at(2, block.corner[2] + z);
    for (std::uint32_t y = 0; y < samples; ++y) {
      const double along_y = grid.at(1, block.corner[1] + y);
      for (const double x : along_x) values[next++] = body.value(x, along_y, along_z, block.parts);
    }
  }
  return values;
}

void mesh_block(const Body& body, const Grid& grid, const Cases& cases, Block& block, MeshPiece& piece) {
  const BlockValues values = sample(body, grid, block);
  for (std::uint32_t bit = 0; bit < side * side * side; ++bit) {
    const std::uint32_t x = bit % side, y = bit / side % side, z = bit / (side * side);
    std::array<double, 8> corners;
    std::uint32_t inside = 0;
    for (std::uint32_t k = 0; k < 8; ++k) {
      corners[k] = values[((z + (k >> 2)) * samples + y + (k >> 1 & 1)) * samples + x + (k & 1)];
      inside |= (corners[k] < 0 ? 1u : 0u) << k;
    }
    if (inside == 0 || inside == 0xFF) continue;
    block.active |= std::uint64_t(1) << bit;
    piece.cells.push_back({std::uint32_t(piece.positions.size()), std::uint8_t(inside)});
    const Cell cell{block.corner[0] + x, block.corner[1] + y, block.corner[2] + z};
    add_vertices(grid, cell, corners, cases[inside], piece.positions);
  }
}

/// Finds crossed cells by position.
class CellIndex {
 public:
  CellIndex(std::vector<Block>& blocks, std::vector<ActiveCell> cells) : blocks_(blocks), cells_(std::move(cells)) {
    std::size_t next = 0;
    index_.reserve(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      blocks[b].first_cell = next;
      next += std::size_t(std::popcount(blocks[b].active));
      index_.emplace(key(blocks[b].corner), b);
    }
  }

  const ActiveCell& operator[](std::size_t i) const { return cells_[i]; }

  /// The surface must cross the cell.
  const ActiveCell& at(const Cell& cell) const {
    const auto found = index_.find(key({cell[0] / side * side, cell[1] / side * side, cell[2] / side * side}));
    assert(found != index_.end());
    const Block& block = blocks_[found->second];
    const std::uint64_t bit = std::uint64_t(1) << (((cell[2] % side) * side + cell[1] % side) * side + cell[0] % side);
    assert((block.active & bit) != 0);
    return cells_[block.first_cell + std::size_t(std::popcount(block.active & (bit - 1)))];
  }

 private:
  static std::uint64_t key(const Cell& c) { return (std::uint64_t(c[2]) << 42) | (std::uint64_t(c[1]) << 21) | c[0]; }

  const std::vector<Block>& blocks_;
  std::vector<ActiveCell> cells_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
};

Cell before(Cell cell, std::size_t axis) {
  --cell[axis];
  return cell;
}

/// Whether an edge between this cell and the one before it along some axis would have four quads.
bool doubles_an_edge(const CellIndex& index, const Cases& cases, const Cell& cell, const ActiveCell& here) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!cases[here.inside].folded[axis][0]) continue;
    if (cases[index.at(before(cell, axis)).inside].folded[axis][1]) return true;
  }
  return false;
}

/// The quads around the three grid edges from the cell's first corner.
void add_quads(const CellIndex& index, const Cases& cases, const Cell& cell, const ActiveCell& here, Mesh& mesh) {
  const bool starts_inside = (here.inside & 1) != 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (starts_inside == ((here.inside >> (1u << axis) & 1) != 0)) continue;
    const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
    const auto vertex = [&](const ActiveCell& active, std::size_t place) {
      return active.first_vertex + cases[active.inside].sheet[4 * axis + place];
    };
    // Counter-clockwise seen from the far end of the edge, which is outside if its start is inside.
    std::array<std::uint32_t, 4> quad{vertex(index.at(before(before(cell, b), c)), 3),
                                      vertex(index.at(before(cell, c)), 2), vertex(here, 0),
                                      vertex(index.at(before(cell, b)), 1)};
    if (!starts_inside) std::ranges::reverse(quad);
    add_face(mesh, quad[0], quad[1], quad[2], quad[3]);
  }
}

/// Concatenates vertices and cells of the pieces.
std::vector<ActiveCell> join(std::vector<MeshPiece>& pieces, std::vector<Vec3>& positions) {
  std::vector<ActiveCell> cells;
  for (MeshPiece& piece : pieces) {
    const auto first = std::uint32_t(positions.size());
    for (ActiveCell& cell : piece.cells) cell.first_vertex += first;
    positions.insert(positions.end(), piece.positions.begin(), piece.positions.end());
    cells.insert(cells.end(), piece.cells.begin(), piece.cells.end());
  }
  return cells;
}

}  // namespace

std::optional<Mesh> surface_nets(const Body& body, double spacing) {
  const Grid grid = grid_around(body, spacing);
  const Cases cases = cell_cases();
  std::vector<Block> blocks;
  find_blocks(body, grid, {0, 0, 0}, grid.size, body.all_parts(), blocks);
  std::vector<MeshPiece> pieces((blocks.size() + blocks_per_chunk - 1) / blocks_per_chunk);
  parallel_for({}, blocks.size(), blocks_per_chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b)
      mesh_block(body, grid, cases, blocks[b], pieces[begin / blocks_per_chunk]);
  });

  Mesh mesh;
  std::vector<ActiveCell> cells = join(pieces, mesh.positions);
  const CellIndex index(blocks, std::move(cells));
  for (const Block& block : blocks) {
    std::size_t next = block.first_cell;
    for (std::uint32_t bit = 0; bit < side * side * side; ++bit) {
      if ((block.active >> bit & 1) == 0) continue;
      const Cell cell{block.corner[0] + bit % side, block.corner[1] + bit / side % side,
                      block.corner[2] + bit / (side * side)};
      const ActiveCell& here = index[next++];
      if (doubles_an_edge(index, cases, cell, here)) return std::nullopt;
      add_quads(index, cases, cell, here, mesh);
    }
  }
  return mesh;
}

}  // namespace marrow::synthetic
