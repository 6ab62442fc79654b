#pragma once

namespace marrow::reduction {

/// Warning of smooth and poisson.
inline constexpr const char* no_faces_warning =
    "the mesh has no faces, so there is no Laplacian to keep: each vertex is fitted by itself";
/// Weight of the values relative to their Laplacian: fixes each piece of the mesh in its place.
inline constexpr double weight_anchor = 1e-4, pose_anchor = 1e-3;

}  // namespace marrow::reduction
