#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "io/glb_geometry.hpp"
#include "marrow/rig.hpp"

namespace marrow::glb {

/// A joint: points of the mesh as stored go to world(node) * inverse_bind * p.
struct Bone {
  std::size_t node = 0;
  Affine inverse_bind;
  std::size_t group = 0;
};

/// The joints of all instances as one skeleton. Instances whose skins share a joint with the same inverse bind matrix
/// store their vertices in the same space and form a group; a mesh without a skin is a group with one rigid bone.
struct Bones {
  std::vector<Bone> bones;
  std::vector<std::size_t> instance_groups;  // of Geometry::instances
  std::vector<Affine> group_rest;            // from the space of stored vertices to that of the frames
  Skeleton skeleton;
  Weights weights;
};

/// `world`: the nodes' transforms in the pose without animation.
Bones read_bones(const Document& document, const Scene& scene, const Geometry& geometry, std::span<const Affine> world,
                 const Run& run);

}  // namespace marrow::glb
