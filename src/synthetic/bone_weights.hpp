#pragma once

#include <span>

#include "synthetic/common.hpp"

namespace marrow::synthetic {

/// The region of a bone: a capsule whose radius changes linearly between its ends.
struct BoneShape {
  Point from, to;
  double from_radius, to_radius;
  double reach;  ///< the bone has weight where it is less than this farther away than the nearest bone
  int limb = 0;  ///< 0: the trunk, which takes over between two limbs
};

/// Smooth convex weights with at most 4 influences. Let d_j be the distance to the surface of bone j's capsule and m
/// the least of them. The weight of bone j is max(0, 1 - (d_j - m) / reach_j)^2, normalised: neighbours share the
/// region of their joint, farther bones have none. Where another limb comes as near, a limb's distance first grows
/// by 1.5 reaches: weights stay continuous between limbs. Rows sum to exactly 1: values are multiples of 2^-24.
Weights weights_by_distance(std::span<const Vec3> positions, std::span<const BoneShape> bones);

/// Every vertex follows one bone.
Weights rigid_weights(std::span<const std::uint32_t> bone_of_vertex);

}  // namespace marrow::synthetic
