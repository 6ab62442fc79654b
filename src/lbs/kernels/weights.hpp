#pragma once

// Plain arrays only: see src/CMakeLists.txt.
#include <stddef.h>
#include <stdint.h>

namespace marrow::kernels {

/// Vertices per block, one per SIMD lane.
inline constexpr size_t lanes = 8;

/// Data of the weight problem that all vertices share. `gram` and `projection` are sums over frames, so that the cost
/// does not depend on the number of frames.
struct WeightProblem {
  size_t bones;
  size_t stride;             ///< of rows over bones
  size_t rank;               ///< reduced coordinates in use
  size_t influences;         ///< most bones per vertex
  const double* gram;        ///< [bones][10][stride]: symmetric part of sum_t M_j^T M_k; monomials as in monomials()
  const double* diagonal;    ///< [10][stride]: the same for j = k
  const double* projection;  ///< [bones / 2, rounded up][rank][8]: rows of M_j^T Q for two bones
  double per_influence;      ///< least gain in squared error per bone; 0 without noise
};

/// Smoothing term: adds stiffness |w|^2 - 2 towards . w + constant to the squared error.
struct WeightPull {
  const double* towards;    ///< [lanes][bones]; null: none
  const double* stiffness;  ///< [lanes]
  const double* constant;   ///< [lanes]
};

/// A block of vertices.
struct WeightBlock {
  const double* coordinates;  ///< [rank][lanes]
  const double* rest;         ///< [3][lanes]
  const double* squared;      ///< [lanes]: sum_t |v|^2
  WeightPull pull;
  bool from_scratch;  ///< also search a new support, not only near the given one
  size_t count;       ///< vertices in the block, 1 to lanes
  size_t slots;       ///< slots per vertex, at least `influences`
  uint32_t* support;  ///< [lanes][slots], in and out; used[lane] entries on input
  double* weight;     ///< [lanes][slots]
  uint32_t* used;     ///< [lanes]: slots in use; 0 on input: search from scratch
  double* error;      ///< [lanes], out: sum_t |residual|^2
  double* scratch;    ///< weight_scratch(bones, influences) doubles
};

size_t weight_scratch(size_t bones, size_t influences);

/// Squared error of every bone alone, [bones][lanes].
using SingleErrorFunction = void (*)(const WeightProblem&, const double* coordinates, const double* rest,
                                     const double* squared, double* out);
/// Finds support and convex weights: exchange from the given support and, if from_scratch or without one, greedy from
/// scratch; keeps the better.
using WeightFunction = void (*)(const WeightProblem&, const WeightBlock&);
/// Removal cost of every bone of each vertex (rise of its squared error), [lanes][slots]. Keeps the weights; reads
/// `error`.
using LossFunction = void (*)(const WeightProblem&, const WeightBlock&, double* out);

struct WeightKernels {
  SingleErrorFunction single_errors;
  WeightFunction weights;
  LossFunction losses;
};

}  // namespace marrow::kernels
