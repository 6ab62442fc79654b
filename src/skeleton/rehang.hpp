#pragma once

#include "lbs/descent.hpp"
#include "skeleton/passes.hpp"

namespace marrow::skeleton {

/// Looks for better parents under hard joints: every joint is opened to see what it costs, and what hangs on the dear
/// ones is tried out on other bones that share vertices with it. Weights stay. Returns how many were moved.
std::size_t improve_tree(const lbs::Problem& problem, Jointed& jointed, const Run& run);

}  // namespace marrow::skeleton
