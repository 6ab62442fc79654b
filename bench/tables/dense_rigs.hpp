#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "marrow/rig.hpp"
#include "marrow/sequence.hpp"

namespace marrow::tables {

/// A rig that the tables of reduction and compression start from.
struct DenseRig {
  std::string dataset;
  std::size_t bones = 0;
  std::size_t influences = 0;  ///< 0: all
  double smooth = 0;           ///< strength of smoothing the weights
  std::uint64_t hash = 0;      ///< expected hash_of(); 0: unknown
};

/// Largest scale factor of the flexible bones, both ways.
inline constexpr double dense_conditioning = 1.1;

/// The rows of a CSV with the columns dataset, bones, influences ("all" or a number), smooth (0 where there is none)
/// and hash (hexadecimal, may be empty).
std::vector<DenseRig> read_dense_rigs(const std::filesystem::path& csv);

/// Flexible bones with `dense_conditioning`, fast effort, seed 1 (docs/results/two_layer.md says why): read from
/// the folder `cache`, or solved and stored there. Throws std::runtime_error if the hash differs from the row's:
/// figures of other rigs are not comparable.
Rig solve_or_load(const DenseRig& row, const Sequence& sequence, const std::filesystem::path& cache);

/// FNV-1a of weights and motion.
std::uint64_t hash_of(const Rig& rig);

}  // namespace marrow::tables
