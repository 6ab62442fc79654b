#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "marrow/ddm_rig.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// Direct Delta Mush in two layers: the first gives every virtual bone a rigid transform from the bones of the rig by
/// multi-weights, the second skins the vertices to the virtual bones by plain convex weights.
///
/// Invariants: rig, multi-weights and weights are valid; `centres` and `virtual_bones` have the same rows, `weights`
/// refers to them and has the rig's vertices. compress() also sees to it that the sum of each row's 3 x 3 parts is
/// positive definite with a condition number of at most 100, so that rotations are well defined.
struct CompressedDdm {
  Rig rig;                     ///< mesh, skeleton and motion, and the plain skin that everything was made from
  std::vector<Vec3> centres;   ///< #virtual bones, p_k: centre of rotation in the rest pose (Eq. 13e)
  MultiWeights virtual_bones;  ///< one row per virtual bone over the rig's bones, about its centre (Eq. 13d)
  Weights weights;             ///< one row per vertex over the virtual bones

  std::size_t vertices() const { return rig.vertices(); }
  std::size_t bones() const { return rig.bones(); }
  std::size_t virtual_bone_count() const { return centres.size(); }
  bool operator==(const CompressedDdm&) const = default;
};

/// `bones`, `vertices` and rows as the invariants say, else Error{bad_input}.
void validate(const CompressedDdm& model);

/// What the virtual bones do in one pose, as seen from the root (the first bone); the result is what the root did.
Affine virtual_transforms(const CompressedDdm& model, std::span<const Affine> pose, std::span<Affine> transforms);

/// As for DdmRig.
Affine deform_from_root(const CompressedDdm& model, std::span<const Affine> pose, std::span<Vec3> positions);
void deform(const CompressedDdm& model, std::span<const Affine> pose, std::span<Vec3> positions);
Sequence bake(const CompressedDdm& model, const Run& run = {});

/// A plain rig that plays the same frames: one rigid joint per virtual bone at its centre, without hierarchy.
Rig bake_virtual_bones(const CompressedDdm& model, const Run& run = {});

/// What both layers take in a file, in bytes: floats (of a vertex's weights all but the largest, which the others leave
/// of 1), and indices and lengths of rows of 1, 2 or 4 bytes as needed.
std::size_t storage(const CompressedDdm& model);

}  // namespace marrow
