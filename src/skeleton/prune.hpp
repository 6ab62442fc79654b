#pragma once

#include "decomposition/solver.hpp"
#include "lbs/descent.hpp"
#include "skeleton/passes.hpp"

namespace marrow::skeleton {

/// What decompose's steps take.
lbs::State as_state(const lbs::Problem& problem, const Jointed& jointed);

/// Of bones that no tree ties together, takes out those that are not needed: while one less raises the error by little.
/// With bones to spare, some share what one could do, and no joint could hold these together.
void prune_free(const decomposition::SearchGround& ground, lbs::State& state, const Run& run);

/// Takes out the bone that is missed least and lets all settle, until `count` bones are left. Bones that hang on
/// nothing and on which nothing hangs stay: there may be more of them than `count`.
void prune_to(const lbs::Problem& problem, std::size_t count, Jointed& jointed, const Run& run);

/// The same as long as bones are not needed.
void prune(const lbs::Problem& problem, Jointed& jointed, const Run& run);

}  // namespace marrow::skeleton
