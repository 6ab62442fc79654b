#pragma once

#include "two_layer/metric.hpp"

namespace marrow::two_layer {

/// Which coefficients are allowed, besides that they sum to 1.
enum class Sign { convex, any };

/// Coefficients of any sign are no larger: where atoms nearly agree, rounding alone could put the best blend far beyond
/// them all, and they would cancel.
inline constexpr float most_of_any_sign = 3;

/// A blend of candidates (indices into the Gram matrix).
struct Blend {
  std::size_t count = 0;
  std::uint32_t candidates[max_slots] = {};
  float values[max_slots] = {};
  float error = 0;  ///< a^T gram a
};

/// The best coefficients for these candidates (Eq. 6, for up to four). Those that end at 0 are left out.
Blend best_blend(const float* gram, std::size_t count, const std::uint32_t* candidates, Sign sign);

}  // namespace marrow::two_layer
