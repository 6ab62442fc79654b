#pragma once

#include "core/neighbours.hpp"
#include "decompose/types.hpp"

namespace marrow::skeletal {

/// What neighbours do not have in common.
struct MeasuredNoise {
  std::size_t first = 0;  ///< coordinates from here on hold nothing else
  double variance = 0;    ///< in every coordinate; 0: there is none
};
MeasuredNoise measure_noise(const Neighbours& neighbours, const ssdr::Points& points);

/// Leaves out the last coordinates in which neighbours have nothing in common, and notes how much noise is in the
/// others. What bones do shows in whole regions; noise does not. Nothing changes where there is no such coordinate.
void drop_noise(const Neighbours& neighbours, ssdr::Space& space, ssdr::Points& points);

/// E_RMS of the noise that is left in the points.
double noise_left(const ssdr::Space& space, const ssdr::Points& points);

}  // namespace marrow::skeletal
