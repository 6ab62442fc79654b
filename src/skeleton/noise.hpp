#pragma once

#include "core/neighbours.hpp"
#include "lbs/points.hpp"
#include "lbs/space.hpp"

namespace marrow::skeleton {

/// What neighbours do not have in common.
struct MeasuredNoise {
  std::size_t first = 0;  ///< coordinates from here on hold nothing else
  double variance = 0;    ///< in every coordinate; 0: there is none
};
MeasuredNoise measure_noise(const Neighbours& neighbours, const lbs::Points& points);

/// Leaves out the last coordinates in which neighbours have nothing in common, and notes how much noise is in the
/// others. What bones do shows in whole regions; noise does not. Nothing changes where there is no such coordinate.
void drop_noise(const Neighbours& neighbours, lbs::Space& space, lbs::Points& points);

/// E_RMS of the noise that is left in the points.
double noise_left(const lbs::Space& space, const lbs::Points& points);

}  // namespace marrow::skeleton
