#pragma once

#include <cstdint>
#include <vector>

#include "ddm/surface.hpp"
#include "marrow/ddm.hpp"

namespace marrow::ddm {

/// Per point the bone with the largest weight; the first if equal.
std::vector<std::uint32_t> main_bones(const Rig& rig, const WeldedSurface& surface);

/// Per point the distance to its main bone: to the segments from its joint to its children's or, for a leaf, to the far
/// end of its vertices. Averaged with the neighbours', and at least 0.1 % of the size.
Eigen::VectorXd bone_distances(const Rig& rig, const WeldedSurface& surface, const SparseMatrix& laplacian);

enum class Part { rotation, translation };

/// Diagonal M of the smoothing system (M + L) x = M b.
///
/// distance: M = A / t with t = (c d)^2 / (2 steps), where A is the point's area and d its distance. `steps` implicit
/// steps of diffusion by time t spread by a standard deviation of c d along each axis. uniform: M = diag(L) / lambda.
Eigen::VectorXd smoothing_mass(const Rig& rig, const WeldedSurface& surface, const SparseMatrix& laplacian,
                               const DdmOptions& options, Part part);

}  // namespace marrow::ddm
