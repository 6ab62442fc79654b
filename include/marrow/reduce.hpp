#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "marrow/enum_names.hpp"
#include "marrow/matrix.hpp"
#include "marrow/mesh.hpp"
#include "marrow/motion_range.hpp"
#include "marrow/options.hpp"
#include "marrow/report.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// How weights become few.
enum class ReduceMethod {
  best_fit,  ///< the bones and weights with the least error on the poses that were found; any bone may come in
  klargest,  ///< the largest weights of each vertex, divided by their sum
  smooth,    ///< those bones; the Laplacian of the weights stays (Landreneau and Schaefer 2010, without poses)
  geometry,  ///< of its own bones, greedily the best for the poses, with best weights (after James and Twigg 2005)
  poisson,   ///< those bones; the Laplacian of the posed mesh stays (Landreneau and Schaefer 2010, with poses)
};
/// What the values are called on the command line and in reports.
const EnumNames<ReduceMethod>& reduce_method_names();

struct ReduceOptions {
  std::size_t influences = 4;  ///< bones per vertex, at most; from 1
  ReduceMethod method = ReduceMethod::best_fit;
  /// Poses to sample from the skeleton instead of the rig's own clips; 0: the clips, or 100 where those say nothing
  /// about weights. The run's seed makes others of them.
  std::size_t sample = 0;
  std::optional<RangesOfMotion> ranges{};  ///< of sampled poses; else default_ranges()
};
/// Its fields for flags, JSON, reports and documentation.
std::vector<Option> option_table(ReduceOptions& options);

/// Whether some bones move otherwise than others: only then does a motion say anything about weights. (A GLB without
/// clips is read as a rig with one frame, its rest pose.)
bool tells_bones_apart(const Motion& motion);

/// The poses that reduce() looks at where no target is given.
Motion reduction_poses(const Rig& rig, const ReduceOptions& options, const Run& run = {});

/// The rig with at most options.influences bones per vertex; mesh, skeleton and motion stay. What it should look like
/// is `target`, frame by frame of the rig's motion and vertex by vertex, or else the rig as it is, in
/// reduction_poses(). ReduceMethod::best_fit has in no vertex a larger error (the sum of squared distances over the
/// frames) than any of the other methods, up to rounding. A rig that has no more influences than asked for comes back
/// as it is, unless there is a target that other weights are better for. Throws Error{bad_request} for options out of
/// range, Error{bad_input} for a target that does not fit the rig.
Result<Rig> reduce(const Rig& rig, const ReduceOptions& options = {}, const Sequence* target = nullptr,
                   const Run& run = {});

/// The same for weights without bones: a row per vertex of the mesh, a column per bone, rows that sum to 1 within 1e-3.
/// Weights may be negative; the largest are then those of largest magnitude, and the result may have negative ones too.
/// klargest and smooth only: without bones there are no poses. The result has the same shape, with zeros.
Result<Matrix> reduce(const Matrix& weights, const Mesh& mesh, const ReduceOptions& options, const Run& run = {});

}  // namespace marrow
