#pragma once

#include "ddm_compression/fit.hpp"

namespace marrow::ddm_compression {

/// One round of the paper's update of the multi-weights (section 4.3) with its corrections: the step is halved until
/// the objective falls and the bone stays valid, or is left out.
void update_multi_weights(const Points& points, const LinearExamples& examples, Fit& fit, const Run& run);

/// (Gamma'_k - sum_l Delta'_l Phi_lk) as multi-weights: minus half the gradient of the objective by Delta'_jk, before
/// the maps, which act from the left and so commute with the update.
std::vector<MultiWeight> descent_direction(const Points& points, const Fit& fit, const Matrix& moments,
                                           std::span<const std::uint32_t> neighbours, std::size_t bone,
                                           std::span<const std::pair<std::uint32_t, double>> members);

}  // namespace marrow::ddm_compression
