#pragma once

#include <cstdint>
#include <vector>

#include "io/affine_keys.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"

namespace marrow {

/// A bone as one or two nodes of a file.
struct BoneNode {
  std::int32_t parent = -1;  ///< parent bone; -1 for the root node
  NodeKeys<float> keys;      ///< key 0 is the bind pose; key 1 + t is frame t
};

struct BoneNodes {
  std::vector<Affine> inverse_bind;  ///< per bone, rounded to float
  std::vector<BoneNode> nodes;       ///< per bone
};

/// Turns the motion of every bone into node keys. A bone gets the simplest kind of nodes that moves the mesh's box by
/// at most 1e-6 of its size from the exact place. It hangs below its parent, or, with a warning, below the nearest
/// ancestor if the parent is singular in some frame.
BoneNodes make_bone_nodes(const Rig& rig, const Run& run);

}  // namespace marrow
