#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "marrow/ddm_rig.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// Two-layer Direct Delta Mush (Le et al. 2021). The first layer computes a rigid transform per virtual bone from the
/// rig's bones by multi-weights; the second skins vertices to virtual bones by convex weights.
///
/// Invariants: rig, multi-weights and weights are valid; `centres` and `virtual_bones` have one row per virtual bone,
/// `weights` one per vertex. compress() also makes the sum of each row's 3 x 3 parts positive definite with a condition
/// number of at most 100, so that rotations are well defined.
struct CompressedDdm {
  Rig rig;                     ///< mesh, skeleton, motion, and the plain skin of the original
  std::vector<Vec3> centres;   ///< p_k, #virtual bones: centre of rotation in the rest pose (Eq. 13e)
  MultiWeights virtual_bones;  ///< one row per virtual bone over the rig's bones, about its centre (Eq. 13d)
  Weights weights;             ///< one row per vertex over the virtual bones

  std::size_t vertices() const { return rig.vertices(); }
  std::size_t bones() const { return rig.bones(); }
  std::size_t virtual_bone_count() const { return centres.size(); }
  bool operator==(const CompressedDdm&) const = default;
};

/// Throws Error{bad_input} naming the broken invariant and the place.
void validate(const CompressedDdm& model);

/// Writes the transforms of the virtual bones in one pose, relative to the root (the first bone). Returns the root's
/// transform.
Affine virtual_transforms(const CompressedDdm& model, std::span<const Affine> pose, std::span<Affine> transforms);

/// See the functions of DdmRig.
Affine deform_from_root(const CompressedDdm& model, std::span<const Affine> pose, std::span<Vec3> positions);
void deform(const CompressedDdm& model, std::span<const Affine> pose, std::span<Vec3> positions);
Sequence bake(const CompressedDdm& model, const Run& run = {});

/// A plain rig with the same frames: one rigid joint per virtual bone at its centre, no hierarchy.
Rig bake_virtual_bones(const CompressedDdm& model, const Run& run = {});

/// Bytes of both layers in a file: 4 per float (the largest weight of a row is not stored), and 1, 2 or 4 per index and
/// row length, as needed.
std::size_t storage(const CompressedDdm& model);

}  // namespace marrow
