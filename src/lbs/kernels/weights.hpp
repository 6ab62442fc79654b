#pragma once

// Plain arrays only: see src/CMakeLists.txt.
#include <stddef.h>
#include <stdint.h>

namespace marrow::kernels {

/// Vertices are treated in blocks of this many, one per SIMD lane.
inline constexpr size_t lanes = 8;

/// What the weights of a block of vertices depend on. All sums over frames are in `gram` and `projection`: the cost
/// does not grow with the number of frames.
struct WeightProblem {
  size_t bones;
  size_t stride;             ///< of a row over bones
  size_t rank;               ///< reduced coordinates in use
  size_t influences;         ///< at most this many bones per vertex
  const double* gram;        ///< [bones][10][stride]: symmetric part of sum_t M_j^T M_k; monomials as in monomials()
  const double* diagonal;    ///< [10][stride]: the same for j = k
  const double* projection;  ///< [bones / 2, rounded up][rank][8]: rows of M_j^T Q for two bones
  double per_influence;      ///< squared error that every bone of a vertex must be worth
};

/// Where weights are drawn to, beside the frames: adds stiffness |w|^2 - 2 towards . w + constant to the squared error.
struct WeightPull {
  const double* towards;    ///< [lanes][bones]; null: nowhere
  const double* stiffness;  ///< [lanes]
  const double* constant;   ///< [lanes]
};

/// A block of vertices.
struct WeightBlock {
  const double* coordinates;  ///< [rank][lanes]
  const double* rest;         ///< [3][lanes]
  const double* squared;      ///< [lanes]: sum_t |v|^2
  WeightPull pull;
  bool from_scratch;  ///< look for a new support too, not only for a better one near the given
  size_t count;       ///< vertices in the block, 1 to lanes
  size_t slots;       ///< from one vertex to the next, at least the influences
  uint32_t* support;  ///< [lanes][slots], in: where to start from (used[lane] entries)
  double* weight;     ///< [lanes][slots]
  uint32_t* used;     ///< [lanes]: entries in use; 0: start from scratch only
  double* error;      ///< [lanes]: out, sum_t |residual|^2
  double* scratch;    ///< weight_scratch(bones, influences) doubles
};

size_t weight_scratch(size_t bones, size_t influences);

/// Squared error of every bone alone, [bones][lanes].
using SingleErrorFunction = void (*)(const WeightProblem&, const double* coordinates, const double* rest,
                                     const double* squared, double* out);
/// Best support and convex weights: exchange from the given support and, where asked for or needed, greedy from
/// scratch; the better of both.
using WeightFunction = void (*)(const WeightProblem&, const WeightBlock&);
/// How much the squared error of each vertex would rise without each of its bones, [lanes][slots]; the weights stay as
/// they are, and `error` is read.
using LossFunction = void (*)(const WeightProblem&, const WeightBlock&, double* out);

struct WeightKernels {
  SingleErrorFunction single_errors;
  WeightFunction weights;
  LossFunction losses;
};

}  // namespace marrow::kernels
