#pragma once

#include <span>

#include "marrow/math.hpp"

namespace marrow::glb {

/// True if the transform is finite and its condition number is below 1e6.
bool is_invertible(const Affine& a);

/// The similarity (uniform scale, rotation, translation) that takes `from` to `to` with the least sum of squared
/// distances: S. Umeyama, Least-squares estimation of transformation parameters between two point patterns, 1991.
/// Exactly the identity if it is within 1e-5 of it, or if the points do not determine a similarity.
Affine fit_similarity(std::span<const Vec3> from, std::span<const Vec3> to);

}  // namespace marrow::glb
