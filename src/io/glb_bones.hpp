#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "io/glb_geometry.hpp"
#include "marrow/rig.hpp"

namespace marrow::glb {

/// A joint. It moves stored vertices p to world(node) * inverse_bind * p.
struct Bone {
  std::size_t node = 0;
  Affine inverse_bind;
  std::size_t group = 0;
};

/// The joints of all instances as one skeleton. Instances whose skins share a joint and its inverse bind matrix store
/// their vertices in the same space: they form a group. A mesh without a skin is a group with one rigid bone.
struct Bones {
  std::vector<Bone> bones;
  std::vector<std::size_t> instance_groups;  // of Geometry::instances
  std::vector<Affine> group_rest;            // per group: from the space of the stored vertices to that of the frames
  Skeleton skeleton;
  Weights weights;
};

/// `world`: node transforms in the pose without animation.
Bones read_bones(const Document& document, const Scene& scene, const Geometry& geometry, std::span<const Affine> world,
                 const Run& run);

}  // namespace marrow::glb
