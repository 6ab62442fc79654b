#pragma once

#include "core/neighbours.hpp"
#include "lbs/points.hpp"
#include "lbs/space.hpp"

namespace marrow::skeleton {

/// White noise in the reduced coordinates.
struct MeasuredNoise {
  std::size_t first = 0;  ///< coordinates from here on are only noise
  double variance = 0;    ///< of every coordinate; 0: no noise found
};
MeasuredNoise measure_noise(const Neighbours& neighbours, const lbs::Points& points);

/// Drops the last coordinates that neighbours do not share, and records the noise in the others. Bones move whole
/// regions alike; noise does not. No change if there is no such coordinate.
void drop_noise(const Neighbours& neighbours, lbs::Space& space, lbs::Points& points);

/// E_RMS of the noise in the points.
double noise_left(const lbs::Space& space, const lbs::Points& points);

}  // namespace marrow::skeleton
