#pragma once

#include "lbs/descent.hpp"

namespace marrow::decomposition {

/// Per bone, about how much the squared error would rise without it.
std::vector<double> removal_costs(const lbs::Problem& problem, const lbs::State& state, const Run& run);

/// Takes the bone out; those after it move up. Its vertices keep their other bones.
void remove_bone(lbs::State& state, std::size_t bone);

}  // namespace marrow::decomposition
