#pragma once

#include "decompose/solver.hpp"
#include "skeleton/passes.hpp"

namespace marrow::skeletal {

/// What decompose's steps take.
ssdr::State as_state(const ssdr::Problem& problem, const Jointed& jointed);

/// Of bones that no tree ties together, takes out those that are not needed: while one less raises the error by little.
/// With bones to spare, some share what one could do, and no joint could hold these together.
void prune_free(const ssdr::SearchGround& ground, ssdr::State& state, const Run& run);

/// Takes out the bone that is missed least and lets all settle, until `count` bones are left. Bones that hang on
/// nothing and on which nothing hangs stay: there may be more of them than `count`.
void prune_to(const ssdr::Problem& problem, std::size_t count, Jointed& jointed, const Run& run);

/// The same as long as bones are not needed.
void prune(const ssdr::Problem& problem, Jointed& jointed, const Run& run);

}  // namespace marrow::skeletal
