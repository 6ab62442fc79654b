#pragma once

#include "skeleton/passes.hpp"

namespace marrow::skeletal {

/// Looks for better parents under hard joints: every joint is opened to see what it costs, and what hangs on the dear
/// ones is tried out on other bones that share vertices with it. Weights stay. Returns how many were moved.
std::size_t improve_tree(const ssdr::Problem& problem, Jointed& jointed, const Run& run);

}  // namespace marrow::skeletal
