#pragma once

#include "decomposition/search_bones.hpp"
#include "lbs/descent.hpp"
#include "skeleton/passes.hpp"

namespace marrow::skeleton {

/// The state that decomposition's functions take.
lbs::State as_state(const lbs::Problem& problem, const Jointed& jointed);

/// Removes free bones (without a tree) while one less raises the error only a little. Surplus bones share the motion of
/// one rigid part, and joints could not hold them together.
void prune_free_bones(const decomposition::SearchGround& ground, lbs::State& state, const Run& run);

/// Removes the cheapest bone and settles, until `count` bones are left. Isolated roots stay: more than `count` may be
/// left.
void prune_bones_to(const lbs::Problem& problem, std::size_t count, Jointed& jointed, const Run& run);

/// The same, while the removed bones are not needed.
void prune_bones(const lbs::Problem& problem, Jointed& jointed, const Run& run);

}  // namespace marrow::skeleton
