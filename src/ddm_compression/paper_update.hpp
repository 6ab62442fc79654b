#pragma once

#include "ddm_compression/continuous.hpp"
#include "ddm_compression/fit.hpp"

namespace marrow::ddm_compression {

/// One round of the paper's update (Section 4.3), corrected: halves the step until the objective falls and the bone is
/// valid; else keeps the bone.
void update_multi_weights(const DistinctPoints& points, const LinearExamples& examples, Fit& fit, const Run& run);

/// Gamma'_k - sum_l Delta'_l Phi_lk as multi-weights: minus half the gradient of the objective by Delta'_jk, before the
/// maps (they act from the left and commute with the update).
std::vector<MultiWeight> descent_direction(const DistinctPoints& points, const Fit& fit, const Matrix& moments,
                                           std::span<const std::uint32_t> neighbours, std::size_t bone,
                                           std::span<const std::pair<std::uint32_t, double>> members);

}  // namespace marrow::ddm_compression
