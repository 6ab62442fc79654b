#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "marrow/bone_kind.hpp"
#include "marrow/effort.hpp"
#include "marrow/enum_names.hpp"
#include "marrow/options.hpp"
#include "marrow/report.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// Whether the rest pose may change.
enum class RestPose {
  keep,       ///< keep it as given
  once,       ///< one least-squares correction near the end (SSDR Algorithm 1, line 6)
  alternate,  ///< correct it in every iteration (FSD, Section 4.3)
};

/// Names on the command line and in reports.
const EnumNames<RestPose>& rest_pose_names();

struct DecomposeOptions {
  std::size_t bones = 20;      ///< exact number, 1 to the number of vertices; each moves some vertex
  std::size_t influences = 4;  ///< most bones per vertex, from 1; more than `bones` means all
  BoneKind kind = BoneKind::rigid;
  /// Largest scale factor of bones that scale, both ways: singular values are within [1 / c, c]. From 1; 0 means 1000.
  double conditioning = 5;
  RestPose rest_pose = RestPose::keep;
  double rest_limit = 0;  ///< largest displacement of a vertex of the rest pose, as a share of the size; 0: no limit
  double smooth = 1;      ///< strength of smoothing the weights over the mesh, from 0 (none)
  Effort effort = Effort::normal;
  /// decompose() only: if stopped, return the best so far with Status::stopped instead of throwing.
  bool keep_best = false;
};
/// Its fields for flags, JSON, reports and documentation.
std::vector<Option> option_table(DecomposeOptions& options);

/// Finds bones and convex weights that reproduce a mesh sequence by linear blend skinning (after SSDR, Le & Deng 2012,
/// and FSD, Kavan, Sloan & O'Sullivan 2010). Bones have no hierarchy; bind transforms are at the centroids of their
/// vertices. Throws Error{bad_request} for options out of range, Error{bad_input} for a sequence without vertices,
/// frames or size.
Result<Rig> decompose(const Sequence& sequence, const DecomposeOptions& options = {}, const Run& run = {});

/// Starts from given bones (`start`: one transform per bone and frame of the sequence) instead of a search. Ignores
/// options.bones.
Result<Rig> decompose_from(const Sequence& sequence, const Motion& start, const DecomposeOptions& options = {},
                           const Run& run = {});

/// Finds the fewest bones, at most options.bones, whose E_RMS by compare() is at most `e_rms`. If options.bones are not
/// enough, returns them with Status::quality_missed.
Result<Rig> decompose_to_error(const Sequence& sequence, double e_rms, const DecomposeOptions& options = {},
                               const Run& run = {});

/// Error against number of bones, from one run that starts with the most bones and removes the cheapest one at a time.
/// The rig of any point is decompose_from(motions[k]). Its error is slightly lower: the curve is measured on a sample
/// of the vertices, after two iterations per removal.
struct BoneCurve {
  std::vector<std::size_t> bones;  ///< 1, 2, ... up to options.bones
  std::vector<double> e_rms;       ///< per number of bones
  std::vector<Motion> motions;     ///< per number of bones

  /// Index of the point farthest below the line from the first to the last point, with log(e_rms): more bones gain
  /// little.
  std::size_t knee() const;
};
/// From options.bones down to 1.
Result<BoneCurve> bone_curve(const Sequence& sequence, const DecomposeOptions& options = {}, const Run& run = {});

/// Solves only the weights. The bones of the rig and their motion stay, with names and hierarchy; the mesh is that of
/// the sequence, whose rest pose must match the bones'. Uses `influences` and `smooth` of the options. The rig's mesh
/// and weights are ignored and may be empty. Bones may end without vertices; the report's figure bones_without_vertices
/// counts them.
Result<Rig> fit_weights(const Sequence& sequence, const Rig& rig, const DecomposeOptions& options = {},
                        const Run& run = {});

/// Solves only the motion. The rig's mesh and weights stay; its bones follow the frames of the sequence in the
/// least-squares sense. Uses `kind` and `conditioning` of the options. The rig's motion is ignored.
Result<Rig> fit_motion(const Sequence& sequence, const Rig& rig, const DecomposeOptions& options = {},
                       const Run& run = {});

/// Error of a rig on frames that it was not solved for.
struct HeldOut {
  Rig rig;                ///< all frames
  std::size_t seen = 0;   ///< number of frames solved for (the first ones); for the others, only the motion was
  double e_rms_seen = 0;  ///< by compare()
  double e_rms_unseen = 0;
};
/// Solves the first `share` of the frames (0 to 1, exclusive; at least one frame on either side).
Result<HeldOut> hold_out(const Sequence& sequence, double share, const DecomposeOptions& options = {},
                         const Run& run = {});

}  // namespace marrow
