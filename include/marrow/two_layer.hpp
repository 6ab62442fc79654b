#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "marrow/effort.hpp"
#include "marrow/enum_names.hpp"
#include "marrow/matrix.hpp"
#include "marrow/options.hpp"
#include "marrow/report.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"
#include "marrow/two_layer_rig.hpp"

namespace marrow {

enum class CompressMethod {
  refined,  ///< both layers convex, one budget over all values of both, atoms and coefficients by what they are worth
  paper,    ///< Algorithms 1 and 2 as the paper prints them: two coefficients of any sign, atoms of equal size
};
const EnumNames<CompressMethod>& compress_method_names();

/// What may follow the poses beside the layers.
enum class Refit {
  none,
  rest,  ///< the rest pose, each vertex by refit_rest_limit of the size at most
  all,   ///< and the motion of the bones, which must have no parents. Each stays of its kind (rigid, scaled, stretched
         ///< along its axes, flexible), and stretches or shrinks by no larger factor than it did before
};
const EnumNames<Refit>& refit_names();
inline constexpr double refit_rest_limit = 0.01;

struct CompressOptions {
  /// What stops it: one of three; none means 4 bones per vertex.
  std::optional<double> bones_per_vertex{};    ///< values of both layers per vertex, at most; more than 1
  std::optional<std::size_t> virtual_bones{};  ///< this many at most; from 1
  std::optional<double> error{};  ///< the fewest bones per vertex that reach this weight_error(), E_RMS with a target

  CompressMethod method = CompressMethod::refined;
  /// Virtual bones per vertex, at most: 2 to 4; 0: 3, and 4 from 6 bones per vertex on, with a target from 4 on, or
  /// with best effort (without a target or a number of virtual bones). CompressMethod::paper has 2.
  std::size_t coefficients = 0;
  /// Bones per virtual bone, at most (c of the paper); 0: without limit. CompressMethod::paper: one more than the
  /// largest number of influences.
  std::size_t cardinality = 0;
  Refit refit = Refit::none;  ///< with a target: what may change beside the weights
  bool any_sign = false;      ///< values of either layer may be negative: a little less error, for research
  Effort effort = Effort::normal;
};
/// Its fields for flags, JSON, reports and documentation.
std::vector<Option> option_table(CompressOptions& options);

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

}  // namespace marrow
