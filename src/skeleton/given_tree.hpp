#pragma once

#include <span>

#include "decomposition/solver.hpp"
#include "marrow/skeleton.hpp"
#include "skeleton/tree.hpp"

namespace marrow::skeleton {

/// Throws Error{bad_request} unless names are there and differ, parents are among them, and nothing hangs in a circle.
/// `with_joints`: every bone must say where it begins.
void check(const BoneTree& tree, bool with_joints);

/// Parents by the tree's own order; by the order of a skeleton's bones, whose names the tree must have.
std::vector<std::size_t> parents_of(const BoneTree& tree);
std::vector<std::size_t> parents_in(const BoneTree& tree, const Skeleton& skeleton);
std::vector<std::string> names_of(const BoneTree& tree);

/// For every search point the bone whose line, from its joint to those of its children, is nearest at rest.
std::vector<std::uint32_t> nearest_bones(const decomposition::SearchGround& ground, const BoneTree& tree);

}  // namespace marrow::skeleton
