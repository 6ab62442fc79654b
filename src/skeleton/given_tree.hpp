#pragma once

#include <span>

#include "decomposition/search_bones.hpp"
#include "marrow/skeleton.hpp"
#include "skeleton/tree.hpp"

namespace marrow::skeleton {

/// Throws Error{bad_request} unless names exist and differ, parents are in the tree, and there are no cycles.
/// `with_joints`: every bone must have a joint.
void check(const BoneTree& tree, bool with_joints);

/// Parents in the tree's own order, or in the order of the bones of a skeleton with the same names.
std::vector<std::size_t> parents_of(const BoneTree& tree);
std::vector<std::size_t> parents_in(const BoneTree& tree, const Skeleton& skeleton);
std::vector<std::string> names_of(const BoneTree& tree);

/// For every point of the sample the bone whose segments (from its joint to its children's) are nearest at rest.
std::vector<std::uint32_t> nearest_bones(const decomposition::SearchGround& ground, const BoneTree& tree);

}  // namespace marrow::skeleton
