#pragma once

#include "ddm_compression/fit.hpp"

namespace marrow::ddm_compression {

/// Farthest-point sampling, then k-means on the examples (Section 4.1). Every point follows one bone. Returns fewer
/// bones than requested if fewer points differ.
Fit start_fit(const DistinctPoints& points, const Examples& examples, std::size_t bones, std::size_t influences,
              const Run& run);

}  // namespace marrow::ddm_compression
