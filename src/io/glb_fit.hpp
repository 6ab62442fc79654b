#pragma once

#include <span>

#include "marrow/math.hpp"

namespace marrow::glb {

/// True when the transform is finite and can be undone without losing more than six digits.
bool is_invertible(const Affine& a);

/// The similarity (uniform scale, rotation, translation) that takes `from` to `to` with the smallest sum of squared
/// distances: S. Umeyama, Least-squares estimation of transformation parameters between two point patterns, 1991.
/// Exactly the identity where it is that within 1e-5, or where the points do not determine it.
Affine fit_similarity(std::span<const Vec3> from, std::span<const Vec3> to);

}  // namespace marrow::glb
