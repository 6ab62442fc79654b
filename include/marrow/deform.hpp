#pragma once

#include <span>

#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// Linear blend skinning in double, the scalar reference: positions[i] = sum_j w_ij pose[j] p_i. `pose`: one transform
/// per bone (a frame of Motion); `positions`: one slot per vertex. Throws Error{bad_input} for wrong sizes.
void deform(const Rig& rig, std::span<const Affine> pose, std::span<Vec3> positions);

/// The same for unit normals, one per vertex: transforms them by the cofactor matrix of the blended linear part, which
/// is correct under shear, scale and reflection.
void deform_normals(const Rig& rig, std::span<const Affine> pose, std::span<const Vec3> rest_normals,
                    std::span<Vec3> normals);

/// Every frame of the rig's motion, by the fastest kernels of this machine. Equals deform() to the bit.
Sequence bake(const Rig& rig, const Run& run = {});

}  // namespace marrow
