#pragma once

#include "lbs/descent.hpp"

namespace marrow::decomposition {

/// Per bone, the approximate rise of the squared error without it.
std::vector<double> removal_costs(const lbs::Problem& problem, const lbs::State& state, const Run& run);

/// Removes a bone; later ones move up. Vertices keep their other bones, without solving weights again.
void remove_bone(lbs::State& state, std::size_t bone);

}  // namespace marrow::decomposition
