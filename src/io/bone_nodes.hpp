#pragma once

#include <cstdint>
#include <vector>

#include "io/affine_keys.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"

namespace marrow {

/// A bone as nodes of a file.
struct BoneNode {
  std::int32_t parent = -1;  ///< the bone it hangs under, -1 for the root node
  NodeKeys<float> keys;      ///< key 0 is the bind pose, key 1 + t frame t
};

struct BoneNodes {
  std::vector<Affine> inverse_bind;  ///< per bone, as rounded to float
  std::vector<BoneNode> nodes;       ///< per bone
};

/// Turns every bone's motion into node keys. Each bone gets the simplest kind of nodes that carries the mesh's box to
/// within 1e-6 of its size, and hangs under its parent unless that one is so flat in some frame that no keys below it
/// are exact: then under the next ancestor, with a warning.
BoneNodes make_bone_nodes(const Rig& rig, const Run& run);

}  // namespace marrow
