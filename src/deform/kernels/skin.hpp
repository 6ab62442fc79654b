#pragma once

// Plain arrays only: see src/CMakeLists.txt.
#include <stddef.h>
#include <stdint.h>

namespace marrow::kernels {

/// What stays from pose to pose: compressed rows of bones and weights, as in Weights.
struct SkinView {
  const float* rest;  ///< 3 per vertex
  const uint32_t* offsets;
  const uint32_t* bones;
  const float* weights;
};

/// Skins the vertices [begin, end) by linear blending.
///   matrices  16 doubles per bone: the columns of the 3x4 transform, each padded to 4
///   out       3 floats per vertex
using SkinFunction = void (*)(const SkinView& view, const double* matrices, float* out, size_t begin, size_t end);

/// The kernel of the highest level that this machine runs.
SkinFunction best_skin();

/// All kernels that this machine runs, lowest level first. For tests and benchmarks.
struct SkinLevel {
  const char* name;
  SkinFunction function;
};
size_t runnable_skin_levels(SkinLevel out[3]);

}  // namespace marrow::kernels
