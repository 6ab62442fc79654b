#pragma once

#include <span>

#include "synthetic/common.hpp"

namespace marrow::synthetic {

/// The part of a figure that a bone carries: a capsule whose radius changes evenly from one end to the other.
struct BoneShape {
  Point from, to;
  double from_radius, to_radius;
  double reach;  ///< how much farther than the nearest bone this one may be and still have a say
  int limb = 0;  ///< 0: the trunk. Between two limbs the trunk takes over
};

/// Smooth convex weights with at most 4 influences. With d_j the distance to the surface of bone j's capsule and m the
/// least of them, a bone weighs max(0, 1 - (d_j - m) / reach_j)^2 before the sum is made 1: neighbours share the region
/// around their joint, bones farther away have no part in it. Before that, limbs move away by 1.5 reaches where another
/// limb comes as near as they are, so that weights stay continuous on the way from one limb to the other.
/// Rows sum to exactly 1: values are multiples of 2^-24.
Weights weights_by_distance(std::span<const Vec3> positions, std::span<const BoneShape> bones);

/// Every vertex follows one bone.
Weights rigid_weights(std::span<const std::uint32_t> bone_of_vertex);

}  // namespace marrow::synthetic
