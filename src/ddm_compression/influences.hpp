#pragma once

#include "ddm_compression/fit.hpp"

namespace marrow::ddm_compression {

struct InfluenceOptions {
  double smoothness = 0;  ///< weight of |a_i - mean of the neighbours' a|^2, squared units of the size
  double price = 0;       ///< least decrease of the point's error per influence
};

/// Solves convex weights of at most `most` bones per point (Section 4.2), each point by itself.
void update_influences(const DistinctPoints& points, const Examples& examples, const InfluenceOptions& options,
                       Fit& fit, const Run& run);

}  // namespace marrow::ddm_compression
