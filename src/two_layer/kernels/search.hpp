#pragma once

// Plain arrays only: see src/CMakeLists.txt.
#include <stddef.h>
#include <stdint.h>

namespace marrow::kernels {

/// Most candidates per vertex; row stride of all arrays of candidates.
inline constexpr size_t code_stride = 48;
/// Atoms per tile.
inline constexpr size_t atom_lanes = 16;
/// Atoms for which partners are searched together.
inline constexpr size_t partnered_atoms = 8;

/// A dictionary in tiles of `atom_lanes` atoms: value j of atom k is
/// values[((k / lanes) * bones + j) * lanes + k % lanes].
struct AtomTiles {
  size_t tiles;
  size_t bones;
  const float* values;
};

/// Atoms whose partners are searched, minus the weights of the vertex.
struct PartnerProblem {
  const float* weights;      ///< [bones]
  const float* distances;    ///< [atoms], of all atoms
  const float* differences;  ///< [bones][partnered_atoms]
  const float* norms;        ///< [partnered_atoms]: squared lengths of the differences
};

/// Lines (from a blend towards an atom) that are searched together.
inline constexpr size_t line_count = 5;

/// Start of a line: x^T Q x and h^T x of its weights x.
struct Line {
  float squared;
  float linear;
};

/// Factors of the atoms.
struct LineProblem {
  const float* turned;           ///< [bones][line_count + 1]: Q x of each line, then h
  const float* moments;          ///< [columns of the squares]
  const float* moves = nullptr;  ///< [3][bones] or null: K; subtracts K K^T from the squares
};

/// A blend of candidates, all of them minus the weights of the vertex.
struct BlendView {
  size_t count;
  const uint32_t* candidates;
  const float* values;
  float error;  ///< squared length
};

/// Every level gives the same bits: lanes never meet in a sum.
struct SearchKernels {
  /// result += left^T right for bones x code_stride matrices of `count` columns.
  void (*add_product)(size_t bones, size_t count, const float* left, const float* right, float* result);
  /// result = form columns for a bones x bones form and bones x code_stride matrices of `count` columns.
  void (*turn)(size_t bones, size_t count, const float* form, const float* columns, float* result);
  /// The sum of `forms` tables of `size` values, each times its factor.
  void (*contract)(size_t size, size_t forms, const float* tables, const float* factors, float* result);
  /// Eq. 6: errors[r][s], r < s < count, for the best blend of r and s with `low` <= t <= `high`; `least` of each row.
  void (*pair_errors)(const float* gram, size_t count, float low, float high, float* errors, float* least);
  /// How much the error of a blend falls to the best point of the line towards each of `count` candidates; of lines
  /// along which it only rises, 0 unless they may be followed backwards. `diagonal` of the Gram matrix; all rows of
  /// code_stride floats.
  void (*line_gains)(const float* gram, const float* diagonal, size_t count, const BlendView& blend, bool backwards,
                     float* result);
  /// Squared distances of all atoms to the weights of a vertex, and the least of each tile.
  void (*distances)(const AtomTiles& atoms, const float* weights, float* result, float* least);
  /// For each of the partnered atoms the one of all that it does best with.
  void (*partners)(const AtomTiles& atoms, const PartnerProblem& problem, uint32_t* result);
  /// How the error changes to the best point of each line towards each atom: result[line][atom], and the least of each
  /// tile. `squares` times the moments, without |K^T d|^2, is d^T Q d.
  void (*lines)(const AtomTiles& atoms, const AtomTiles& squares, const LineProblem& problem, const Line* starts,
                float* result, float* least);
};

const SearchKernels& search_kernels();

/// Every version this machine can run, lowest level first, for tests.
size_t runnable_search_levels(SearchKernels out[3]);

}  // namespace marrow::kernels
