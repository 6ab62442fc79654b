#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "marrow/bone_kind.hpp"
#include "marrow/effort.hpp"
#include "marrow/report.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// What may happen to the rest pose.
enum class RestPose {
  keep,       ///< it stays as given
  once,       ///< one least-squares correction near the end (SSDR Algorithm 1, line 6)
  alternate,  ///< corrected in every iteration (FSD section 4.3)
};

/// Names on the command line and in reports.
const std::map<std::string, RestPose>& rest_pose_names();

struct DecomposeOptions {
  std::size_t bones = 20;      ///< exactly this many, 1 to the number of vertices; each moves some vertex
  std::size_t influences = 4;  ///< bones per vertex, at most; from 1; `bones` or more means all
  BoneKind kind = BoneKind::rigid;
  /// Bones that scale do so by at most this factor, either way (singular values within [1 / c, c]); 0: up to 1000.
  double conditioning = 5;
  RestPose rest_pose = RestPose::keep;
  double rest_limit = 0;  ///< how far a vertex of the rest pose may move, as a share of the size; 0: without limit
  double smooth = 1;      ///< how much weights are drawn towards those of near vertices; 0: not at all
  Effort effort = Effort::normal;
  /// decompose() only: when stopped, return what was found so far with Status::stopped.
  bool keep_best = false;
};

/// Finds bones and convex weights that play a mesh sequence as linear blend skinning (after SSDR, Le and Deng 2012, and
/// FSD, Kavan, Sloan and O'Sullivan 2010). The rig's bones have no hierarchy; their bind transforms stand at the middle
/// of what they move.
/// Throws Error{bad_request} for options out of range, Error{bad_input} for a sequence without frames or size.
Result<Rig> decompose(const Sequence& sequence, const DecomposeOptions& options = {}, const Run& run = {});

/// The same from bones that move as `start` does (one transform per bone and frame of the sequence) instead of a search
/// for them; options.bones is not looked at.
Result<Rig> decompose_from(const Sequence& sequence, const Motion& start, const DecomposeOptions& options = {},
                           const Run& run = {});

/// The fewest bones, up to options.bones, with which E_RMS is at most `e_rms` by marrow::compare. Where not even the
/// most are enough, the result has them all and Status::quality_missed.
Result<Rig> decompose_to_error(const Sequence& sequence, double e_rms, const DecomposeOptions& options = {},
                               const Run& run = {});

/// Error against number of bones, from one run that starts with the most and takes out what is needed least, one bone
/// at a time. decompose_from(motions[k]) makes the rig of any point; its error is a little below the curve's, which is
/// measured on a sample of the vertices and settles for two iterations per bone only.
struct BoneCurve {
  std::vector<std::size_t> bones;  ///< 1, 2, ... up to the most
  std::vector<double> e_rms;       ///< of each
  std::vector<Motion> motions;     ///< of each

  /// Index of the point that is furthest below the straight line from the first to the last one, with errors on a
  /// logarithmic scale: fewer bones lose much, more gain little.
  std::size_t knee() const;
};
/// From options.bones downwards.
Result<BoneCurve> bone_curve(const Sequence& sequence, const DecomposeOptions& options = {}, const Run& run = {});

/// Only the weights: the rig's bones and their motion stay, names and hierarchy included, and move the mesh of the
/// sequence, whose rest pose must stand where the bones' does. Uses influences and smooth of the options. The rig's own
/// mesh and weights are not looked at and may be empty. Bones that nothing needs end up without vertices; the report's
/// figure bones_without_vertices says how many.
Result<Rig> fit_weights(const Sequence& sequence, const Rig& rig, const DecomposeOptions& options = {},
                        const Run& run = {});

/// Only the motion: the rig's mesh and weights stay, its bones follow the frames of the sequence as well as they can.
/// Uses kind and conditioning of the options. The rig's own motion is not looked at.
Result<Rig> fit_motion(const Sequence& sequence, const Rig& rig, const DecomposeOptions& options = {},
                       const Run& run = {});

/// How well a rig solved on some frames follows others.
struct HeldOut {
  Rig rig;                ///< all frames
  std::size_t seen = 0;   ///< the first so many frames were solved for; for the rest, only the motion was
  double e_rms_seen = 0;  ///< by marrow::compare
  double e_rms_unseen = 0;
};
/// Solves on the first `share` of the frames (0 to 1, at least one frame on either side).
Result<HeldOut> hold_out(const Sequence& sequence, double share, const DecomposeOptions& options = {},
                         const Run& run = {});

}  // namespace marrow
