#pragma once

#include <string>
#include <utility>
#include <vector>

#include "marrow/reduce.hpp"

namespace marrow::reduction {

/// Throws Error{bad_request} for options out of range.
void check_request(const ReduceOptions& options);
/// Warning of smooth and poisson.
inline constexpr const char* no_faces_warning =
    "the mesh has no faces, so there is no Laplacian to keep: each vertex is fitted by itself";
/// Weight of the values relative to their Laplacian: fixes each piece of the mesh in its place.
inline constexpr double weight_anchor = 1e-4, pose_anchor = 1e-3;
/// Settings for the report.
std::vector<std::pair<std::string, Setting>> request_settings(const ReduceOptions& options);

}  // namespace marrow::reduction
