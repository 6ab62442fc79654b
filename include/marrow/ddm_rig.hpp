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

/// Symmetric 4 x 4 matrices Omega*_ij, compressed rows: vertex i has the entries [offsets[i], offsets[i + 1]).
/// They are about the vertex's centre of rotation (Eq. 13d of the 2021 paper), so that floats are enough.
///
/// Invariants: at least one entry per vertex, sorted by bone without repeats; values are finite; ww is positive and
/// sums to 1 over a row within 1e-4.
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
  Rig rig;                    ///< mesh, skeleton and motion, and the plain skin that it was made from
  std::vector<Vec3> centres;  ///< #vertices, p_i: centre of rotation in the rest pose (Eq. 13e)
  MultiWeights multi_weights;

  std::size_t vertices() const { return rig.vertices(); }
  std::size_t bones() const { return rig.bones(); }
  bool operator==(const DdmRig&) const = default;
};

/// `bones`: how many bones there are to refer to.
void validate(const MultiWeights& weights, std::size_t bones);
void validate(const DdmRig& ddm);

/// One pose, evaluated in float32 relative to the root (the first bone): positions[i] is where vertex i would be if the
/// root had not moved. The result is what the root did, so that it * positions[i] is the place in the world; this stays
/// exact however far the character is from the origin.
Affine deform_from_root(const DdmRig& ddm, std::span<const Affine> pose, std::span<Vec3> positions);

/// The same in the world. The root's transform is applied in double.
void deform(const DdmRig& ddm, std::span<const Affine> pose, std::span<Vec3> positions);

/// Every frame of the rig's motion.
Sequence bake(const DdmRig& ddm, const Run& run = {});

/// Variant 5 of the 2019 paper, "dense LBS": plain linear blend skinning with the smoothed weights, the entries ww of
/// the multi-weights.
Rig dense_lbs(const DdmRig& ddm);

/// What the model takes in a file, in bytes: floats, and indices and lengths of rows of 1, 2 or 4 bytes as needed.
std::size_t storage(const DdmRig& ddm);

}  // namespace marrow
