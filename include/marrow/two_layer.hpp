#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "marrow/decompose.hpp"
#include "marrow/matrix.hpp"
#include "marrow/metrics.hpp"
#include "marrow/report.hpp"
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
/// Invariants: the rig is valid; `virtual_bones` blends its bones, `vertices` has a row per vertex and blends virtual
/// bones.
struct TwoLayerRig {
  Rig rig;               ///< mesh, skeleton and motion, and a plain skin for those who do not know the layers
  Blends virtual_bones;  ///< #virtual bones, of the rig's bones
  Blends vertices;       ///< #vertices, of virtual bones

  std::size_t virtual_bone_count() const { return virtual_bones.rows(); }
  /// Blending operations per vertex: values of both layers together.
  double bones_per_vertex() const;
  bool operator==(const TwoLayerRig&) const = default;
};

/// `sources`: how many there are to refer to.
void validate(const Blends& blends, std::size_t sources);
void validate(const TwoLayerRig& rig);

enum class CompressMethod {
  ours,     ///< both layers convex, one budget over all values of both, atoms and coefficients by what they are worth
  printed,  ///< Algorithms 1 and 2 as the paper prints them: two coefficients of any sign, atoms of equal size
};
const std::map<std::string, CompressMethod>& compress_method_names();

/// What may follow the poses beside the layers.
enum class Refit {
  none,
  rest,  ///< the rest pose, each vertex by refit_rest_limit of the size at most
  all,   ///< and the motion of the bones, which must have no parents. Each stays of its kind (rigid, scaled, stretched
         ///< along its axes, flexible), and stretches or shrinks by no larger factor than it did before
};
const std::map<std::string, Refit>& refit_names();
inline constexpr double refit_rest_limit = 0.01;

struct CompressOptions {
  /// When to stop; exactly one is positive. Bones per vertex: values of both layers per vertex.
  double bones_per_vertex = 4;
  std::size_t virtual_bones = 0;
  double error = 0;  ///< weight_error(), or E_RMS with a target; the fewest bones per vertex that reach it

  CompressMethod method = CompressMethod::ours;
  /// Virtual bones per vertex, at most: 2 to 4; 0: 3, and 4 from 6 bones per vertex on, with a target from 4 on, or
  /// with best effort (without a target or a number of virtual bones). The printed method has 2.
  std::size_t coefficients = 0;
  /// Bones per virtual bone, at most (c of the paper); 0: without limit. The printed method: one more than the largest
  /// number of influences.
  std::size_t cardinality = 0;
  Refit refit = Refit::none;  ///< with a target: what may change beside the weights
  bool any_sign = false;      ///< values of either layer may be negative: a little less error, for research
  Effort effort = Effort::normal;
};

/// Compresses the rig's weights, however many there are per vertex. What counts is the distance to the weights
/// (weight_error()) or, with `target`, to its frames, which are those of the rig's motion. The result's plain skin is
/// the best with 4 influences (see reduce()). Where the rest pose was refitted, the report's figure rest_moved says by
/// how much of the size at most.
/// Throws Error{bad_request} for options out of range, Error{bad_input} for a target that does not fit the rig.
Result<TwoLayerRig> compress(const Rig& rig, const CompressOptions& options = {}, const Sequence* target = nullptr,
                             const Run& run = {});

/// The same for weights without bones: a row per vertex of the mesh, a column per bone, handle or cage vertex; rows sum
/// to 1 within 1e-3 and are within 1e6 of 0. Where some are negative, values of the layers may be so too. The result's
/// bones stand in the middle of what they move, without motion.
Result<TwoLayerRig> compress(const Matrix& weights, const Mesh& mesh, const CompressOptions& options = {},
                             const Run& run = {});

/// What the virtual bones do, for one pose of the master bones.
void blend_bones(const TwoLayerRig& rig, std::span<const Affine> pose, std::span<Affine> virtual_pose);

/// One pose in double, the reference: virtual bones first, then vertices.
void deform(const TwoLayerRig& rig, std::span<const Affine> pose, std::span<Vec3> positions);

/// Every frame of the rig's motion.
Sequence bake(const TwoLayerRig& rig, const Run& run = {});
Metrics compare(const Sequence& original, const TwoLayerRig& rig, const Run& run = {});

/// 1000 times the root of the mean squared difference between the weights and what both layers blend to, over all
/// vertices and bones (Delta_W of Eq. 1a).
double weight_error(const Weights& weights, const TwoLayerRig& rig);
double weight_error(const Matrix& weights, const TwoLayerRig& rig);

/// The virtual bones as bones of a plain rig with the same clips, for players that know no layers. They are affine.
/// Throws Error{bad_input} unless the layers are convex.
Rig with_virtual_bones(const TwoLayerRig& rig);

/// The layers as files have them: convex rows in whole steps of 1 / 65535 that sum to 1 exactly, without those that
/// round to 0. Rows with values of other signs stay.
TwoLayerRig quantised(const TwoLayerRig& rig);

/// What both layers take in a file, in bytes: values of 2 bytes (unorm16; 4 where signs vary, or with `floats`, which
/// is GlbOptions::float_layers) but for the largest of each row, indices and lengths of rows of 1, 2 or 4 bytes as
/// needed.
std::size_t storage(const TwoLayerRig& rig, bool floats = false);

}  // namespace marrow
