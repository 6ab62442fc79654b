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

/// Sparse matrix of blending weights in compressed rows: row i has the entries [offsets[i], offsets[i + 1]).
///
/// Invariants: at least one entry per row, sorted by source without repeats; values are finite and not 0; a row sums to
/// 1 within 1e-4 times the larger of 1 and its sum of magnitudes.
struct Blends {
  std::vector<std::uint32_t> offsets;  ///< #rows + 1
  std::vector<std::uint32_t> sources;  ///< #entries
  std::vector<float> values;           ///< #entries

  std::size_t rows() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  bool operator==(const Blends&) const = default;
};
/// Whether all values are positive.
bool is_convex(const Blends& blends);

/// Two-layer skinning (Le and Deng 2013): virtual bones blend the bones of the rig (the master bones), and vertices
/// blend virtual bones. Approximates a rig with many weights per vertex at the cost of a few blending operations.
///
/// Invariants: the rig is valid; the sources of `virtual_bones` are its bones; `weights` has a row per vertex and its
/// sources are virtual bones.
struct TwoLayerRig {
  Rig rig;               ///< mesh, skeleton, motion, and a plain skin for readers without support for layers
  Blends virtual_bones;  ///< #virtual bones rows, over the rig's bones
  Blends weights;        ///< #vertices rows, over the virtual bones

  std::size_t vertices() const { return rig.vertices(); }
  std::size_t bones() const { return rig.bones(); }
  std::size_t virtual_bone_count() const { return virtual_bones.rows(); }
  /// Blending operations per vertex: number of values in both layers / #vertices.
  double bones_per_vertex() const;
  bool operator==(const TwoLayerRig&) const = default;
};

/// Throw Error{bad_input} unless the invariants hold. `sources`: number of sources; entries are below.
void validate(const Blends& blends, std::size_t sources);
void validate(const TwoLayerRig& rig);

/// Transforms of the virtual bones for one pose of the master bones.
void virtual_transforms(const TwoLayerRig& rig, std::span<const Affine> pose, std::span<Affine> virtual_pose);

/// Deforms one pose in double precision, the reference: virtual bones first, then vertices.
void deform(const TwoLayerRig& rig, std::span<const Affine> pose, std::span<Vec3> positions);

/// Deforms every frame of the rig's motion.
Sequence bake(const TwoLayerRig& rig, const Run& run = {});

/// 1000 times the RMS difference between the weights and the product of both layers, over all vertices and bones
/// (Delta_W of Le and Deng 2013, Eq. 1a).
double weight_error(const Weights& weights, const TwoLayerRig& rig);
double weight_error(const Matrix& weights, const TwoLayerRig& rig);

/// Converts to a plain rig whose bones are the virtual bones, with the same clips, for players without support for
/// layers. The bones are affine. Throws Error{bad_input} unless the layers are convex.
Rig bake_virtual_bones(const TwoLayerRig& rig);

/// The layers as files store them: convex rows rounded to multiples of 1 / 131070 that sum to exactly 1, without zeros.
/// A layer with negative values stays unchanged.
TwoLayerRig quantised(const TwoLayerRig& rig);

/// Size of both layers in a file, in bytes. Values take 2 bytes (unorm16), or 4 if some are negative or with `floats`
/// (GlbOptions::float_layers); the largest of each row is not stored. Indices and row lengths take 1, 2 or 4 bytes.
std::size_t storage(const TwoLayerRig& rig, bool floats = false);

}  // namespace marrow
