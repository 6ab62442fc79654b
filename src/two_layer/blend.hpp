#pragma once

#include "two_layer/metric.hpp"

namespace marrow::two_layer {

/// Allowed signs of coefficients, which sum to 1.
enum class Sign { convex, any };

/// Largest magnitude of coefficients of any sign. Between nearly equal atoms, rounding could otherwise make them huge
/// and cancelling.
inline constexpr float most_of_any_sign = 3;

/// A blend of candidates (indices into the Gram matrix).
struct AtomBlend {
  std::size_t count = 0;
  std::uint32_t candidates[max_slots] = {};
  float values[max_slots] = {};
  float error = 0;  ///< a^T gram a
};

/// Best coefficients for the candidates (Eq. 6, for up to four). Drops those that become 0.
AtomBlend best_blend(const float* gram, std::size_t count, const std::uint32_t* candidates, Sign sign);

}  // namespace marrow::two_layer
