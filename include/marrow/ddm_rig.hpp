#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// Symmetric 4 x 4 multi-weights Omega*_ij in compressed rows: vertex i has the entries [offsets[i], offsets[i + 1]).
/// They are about the vertex's centre of rotation (Le et al. 2021, Eq. 13d), so that floats suffice.
///
/// Invariants: at least one entry per vertex, sorted by bone without repeats; values are finite; ww is positive and
/// sums to 1 within 1e-4 per row.
struct MultiWeights {
  /// xx, xy, xz, xw, yy, yz, yw, zz, zw, ww: the upper triangle, row by row.
  using Value = std::array<float, 10>;

  std::vector<std::uint32_t> offsets;  ///< #vertices + 1
  std::vector<std::uint32_t> bones;    ///< #entries
  std::vector<Value> values;           ///< #entries

  std::size_t vertices() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  bool operator==(const MultiWeights&) const = default;
};

/// Direct Delta Mush skinning (Le and Lewis 2019, variant 0) of a rig.
///
/// Invariants: rig and multi-weights are valid; both and `centres` have the same vertices.
struct DdmRig {
  Rig rig;                    ///< mesh, skeleton, motion, and the plain skin it was made from
  std::vector<Vec3> centres;  ///< p_i, #vertices: centre of rotation in the rest pose (Eq. 13e)
  MultiWeights multi_weights;

  std::size_t vertices() const { return rig.vertices(); }
  std::size_t bones() const { return rig.bones(); }
  bool operator==(const DdmRig&) const = default;
};

/// `bones`: number of bones that entries may refer to. Throws Error{bad_input}.
void validate(const MultiWeights& weights, std::size_t bones);
void validate(const DdmRig& ddm);

/// Evaluates one pose in float32 relative to the root (the first bone): positions[i] is where vertex i is if the root
/// does not move. Returns the root's transform; root * positions[i] is the position in the world. Precise at any
/// distance from the origin.
Affine deform_from_root(const DdmRig& ddm, std::span<const Affine> pose, std::span<Vec3> positions);

/// One pose in the world. Applies the root's transform in double.
void deform(const DdmRig& ddm, std::span<const Affine> pose, std::span<Vec3> positions);

/// Every frame of the rig's motion.
Sequence bake(const DdmRig& ddm, const Run& run = {});

/// Variant 5 of Le & Lewis 2019, "dense LBS": linear blend skinning with the smoothed weights, the entries ww of the
/// multi-weights.
Rig dense_lbs(const DdmRig& ddm);

/// Bytes of the model in a file: 4 per float, and 1, 2 or 4 per index and row length, as needed.
std::size_t storage(const DdmRig& ddm);

}  // namespace marrow
