#pragma once

#include "ddm_compression/fit.hpp"

namespace marrow::ddm_compression {

/// Moves the virtual bones that matter least, a share of all, to the points that are served worst, each away from the
/// others. The points of a moved bone keep their other bones. `damping` of moved bones starts anew.
void reseed(const Points& points, const Examples& examples, double share, std::vector<double>& damping, Fit& fit,
            const Run& run);

/// Section 4.4: the same for bones with sum_i a_ki^2 < 1, however many.
void reseed_unused(const Points& points, const Examples& examples, Fit& fit, const Run& run);

}  // namespace marrow::ddm_compression
