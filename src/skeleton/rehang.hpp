#pragma once

#include "lbs/descent.hpp"
#include "skeleton/passes.hpp"

namespace marrow::skeleton {

/// Looks for better parents under hard joints: opens every joint to find the costly ones, and tries their subtrees on
/// other bones that share vertices. Weights stay. Returns the number of moved subtrees.
std::size_t improve_tree(const lbs::Problem& problem, Jointed& jointed, const Run& run);

}  // namespace marrow::skeleton
