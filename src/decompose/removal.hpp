#pragma once

#include "decompose/descent.hpp"

namespace marrow::ssdr {

/// Per bone, about how much the squared error would rise without it.
std::vector<double> removal_costs(const Problem& problem, const State& state, const Run& run);

/// Takes the bone out; those after it move up. Its vertices keep their other bones.
void remove_bone(State& state, std::size_t bone);

}  // namespace marrow::ssdr
