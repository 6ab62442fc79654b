#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "marrow/matrix.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// What every row is a blend of, compressed rows: row i has the entries [offsets[i], offsets[i + 1]).
///
/// Invariants: at least one entry per row, sorted by source without repeats; values are finite and not 0; a row sums to
/// 1 within 1e-4, or within 1e-4 of the sum of magnitudes where that is larger. Where is_convex() holds, values are
/// positive too.
struct Blends {
  std::vector<std::uint32_t> offsets;  ///< #rows + 1
  std::vector<std::uint32_t> sources;  ///< #entries
  std::vector<float> values;           ///< #entries

  std::size_t rows() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  bool operator==(const Blends&) const = default;
};
bool is_convex(const Blends& blends);

/// Two-layer skinning (Le and Deng 2013): virtual bones blend the bones of the rig (the master bones), and vertices
/// blend virtual bones. It does what a rig with many weights per vertex does, with a few blending operations.
///
/// Invariants: the rig is valid; `virtual_bones` blends its bones, `weights` has a row per vertex and blends virtual
/// bones.
struct TwoLayerRig {
  Rig rig;               ///< mesh, skeleton and motion, and a plain skin for those who do not know the layers
  Blends virtual_bones;  ///< #virtual bones, of the rig's bones
  Blends weights;        ///< #vertices, of virtual bones

  std::size_t vertices() const { return rig.vertices(); }
  std::size_t bones() const { return rig.bones(); }
  std::size_t virtual_bone_count() const { return virtual_bones.rows(); }
  /// Blending operations per vertex: values of both layers together.
  double bones_per_vertex() const;
  bool operator==(const TwoLayerRig&) const = default;
};

/// `sources`: how many there are to refer to.
void validate(const Blends& blends, std::size_t sources);
void validate(const TwoLayerRig& rig);

/// What the virtual bones do, for one pose of the master bones.
void virtual_transforms(const TwoLayerRig& rig, std::span<const Affine> pose, std::span<Affine> virtual_pose);

/// One pose in double, the reference: virtual bones first, then vertices.
void deform(const TwoLayerRig& rig, std::span<const Affine> pose, std::span<Vec3> positions);

/// Every frame of the rig's motion.
Sequence bake(const TwoLayerRig& rig, const Run& run = {});

/// 1000 times the root of the mean squared difference between the weights and what both layers blend to, over all
/// vertices and bones (Delta_W of Eq. 1a).
double weight_error(const Weights& weights, const TwoLayerRig& rig);
double weight_error(const Matrix& weights, const TwoLayerRig& rig);

/// The virtual bones as bones of a plain rig with the same clips, for players that know no layers. They are affine.
/// Throws Error{bad_input} unless the layers are convex.
Rig bake_virtual_bones(const TwoLayerRig& rig);

/// The layers as files have them: convex rows in whole steps of 1 / 131070 that sum to 1 exactly, without those that
/// round to 0. Rows with values of other signs stay.
TwoLayerRig quantised(const TwoLayerRig& rig);

/// What both layers take in a file, in bytes: values of 2 bytes (unorm16; 4 where signs vary, or with `floats`, which
/// is GlbOptions::float_layers) but for the largest of each row, indices and lengths of rows of 1, 2 or 4 bytes as
/// needed.
std::size_t storage(const TwoLayerRig& rig, bool floats = false);

}  // namespace marrow
