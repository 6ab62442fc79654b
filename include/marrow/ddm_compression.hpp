#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "marrow/compressed_ddm.hpp"
#include "marrow/ddm_rig.hpp"
#include "marrow/enum_names.hpp"
#include "marrow/motion_range.hpp"
#include "marrow/options.hpp"
#include "marrow/report.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"

namespace marrow {

enum class DdmCompressionMethod {
  refined,  ///< on the true error in sampled poses: Gauss-Newton through the rotations
  paper,    ///< Le, Villeneuve and Gonzalez-Ochoa 2021: linearised, over a continuum of poses; corrected and guarded
  scalar_only,  ///< the same without the update of the multi-weights
};

const EnumNames<DdmCompressionMethod>& ddm_compression_method_names();

/// The maps of the paper's objective (Eq. 11), for `paper` and `scalar_only`.
struct ContinuousExamples {
  bool hierarchy = true;   ///< turning a joint carries its descendants along (Eq. 6)
  bool bind_pose = true;   ///< joints turn about their own place, not about the origin (Eq. 8)
  double translation = 0;  ///< every joint also moves by up to this share of the size along each axis (Eq. 11d)
  /// Poses to mix in as they are, linearised like the rest; empty: none. Only rotations relative to the first bone
  /// count.
  std::optional<Motion> poses{};
  double poses_share = 0.5;  ///< of the objective, where there are such poses
};

struct DdmCompressionOptions {
  std::size_t virtual_bones = 200;  ///< at most this many; as many as there are different vertices are always enough
  std::size_t influences = 4;       ///< virtual bones per vertex, 1 to 16
  DdmCompressionMethod method = DdmCompressionMethod::refined;
  /// Where given, the number of virtual bones is searched for, up to `virtual_bones`: the fewest whose RMS error in
  /// poses that the solver has not seen is at most this share of the size (0.01: 1 %).
  std::optional<double> error_target{};
  /// Where given, the number of virtual bones is searched for, up to `virtual_bones`: as many as storage() of the
  /// result allows.
  std::optional<std::size_t> byte_budget{};
  std::size_t poses = 150;  ///< sampled poses to fit, at least 10 (`refined`)
  int iterations = 24;      ///< 1 to 1000
  /// An influence stays only where it lowers the vertex's RMS error by more than this, in parts of the RMS over all
  /// vertices. 0: all that help.
  double sparsity = 0.5;
  /// How much more vertices count whose error is large, 0 (not at all) to 1: the larger, the smaller the largest error
  /// and the larger the RMS.
  double worst = 0.5;
  bool area_weights = false;  ///< vertices count by the area around them instead of one by one
  double smoothness = 0;  ///< pulls weights towards the neighbours' mean (`paper` and `scalar_only`); the paper: 0.01
  ContinuousExamples examples{};
};
/// Its fields for flags, JSON, reports and documentation.
std::vector<Option> option_table(DdmCompressionOptions& options);

/// Puts a model into two layers. `ranges` says how far joints turn in the poses that count; the rig's own motion is
/// never looked at. Throws Error{bad_request} for options out of range or targets that cannot be met by any number of
/// virtual bones allowed (error target: Status::quality_missed and the best instead).
Result<CompressedDdm> compress(const DdmRig& ddm, const DdmCompressionOptions& options, const RangesOfMotion& ranges,
                               const Run& run = {});

/// sqrt(E) of the paper's objective (Eq. 11a), in model units: what `paper` minimises. It is blind to what rotations do
/// beyond their linear part; compare() judges.
double fitting_error(const DdmRig& ddm, const CompressedDdm& model, const RangesOfMotion& ranges,
                     const ContinuousExamples& examples = {}, const Run& run = {});

}  // namespace marrow
