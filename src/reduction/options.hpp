#pragma once

#include <string>
#include <utility>
#include <vector>

#include "marrow/reduce.hpp"

namespace marrow::reduction {

/// Throws Error{bad_request} for options out of range.
void check_request(const ReduceOptions& options);
/// For smooth and poisson.
inline constexpr const char* no_faces_warning =
    "the mesh has no faces, so there is no Laplacian to keep: each vertex is fitted by itself";
/// How much values count beside their Laplacian: enough to hold each piece of the mesh in its place.
inline constexpr double weight_anchor = 1e-4, pose_anchor = 1e-3;
/// What was asked, for the report.
std::vector<std::pair<std::string, Setting>> request_settings(const ReduceOptions& options);

}  // namespace marrow::reduction
