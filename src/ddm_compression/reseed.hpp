#pragma once

#include "ddm_compression/fit.hpp"

namespace marrow::ddm_compression {

/// Moves the least useful virtual bones (a share of all) to the points with the largest errors, not next to each other.
/// Points of a moved bone keep their other bones. Resets `damping` of moved bones.
void reseed(const DistinctPoints& points, const Examples& examples, double share, std::vector<double>& damping,
            Fit& fit, const Run& run);

/// Section 4.4: moves all bones with sum_i a_ki^2 < 1.
void reseed_unused(const DistinctPoints& points, const Examples& examples, Fit& fit, const Run& run);

}  // namespace marrow::ddm_compression
