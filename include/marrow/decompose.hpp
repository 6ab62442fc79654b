#pragma once

#include <cstddef>

#include "marrow/report.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// How much time to spend on a better result.
enum class Effort {
  fast,    ///< no search for better places of the bones
  normal,  ///< a short search
  best,    ///< a long search
};

/// What a bone may do beyond moving.
enum class BoneKind {
  rigid,     ///< turn
  scale,     ///< turn and grow or shrink evenly
  stretch,   ///< turn and stretch along three axes of its own
  flexible,  ///< any affine transform
};

/// What may happen to the rest pose.
enum class RestPose {
  keep,       ///< it stays as given
  once,       ///< one least-squares correction near the end (SSDR section 3.4)
  alternate,  ///< corrected in every iteration (FSD)
};

struct DecomposeOptions {
  std::size_t bones = 20;      ///< exactly this many, 1 to the number of vertices; each moves some vertex
  std::size_t influences = 4;  ///< bones per vertex, at most; from 1; `bones` or more means all
  BoneKind kind = BoneKind::rigid;
  /// Bones that scale do so by at most this factor, either way (singular values within [1 / c, c]); 0: without limit.
  double conditioning = 5;
  RestPose rest_pose = RestPose::keep;
  double rest_limit = 0;  ///< how far a vertex of the rest pose may move, as a share of the size; 0: without limit
  double smooth = 1;      ///< how much weights are drawn towards those of near vertices; 0: not at all
  Effort effort = Effort::normal;
  bool keep_best = false;  ///< when stopped, return what was found so far with Status::stopped
};

/// Finds bones and convex weights that play a mesh sequence as linear blend skinning (after SSDR, Le and Deng 2012, and
/// FSD, James and Twigg 2005; Kavan et al. 2010). The rig's bones have no hierarchy; their bind transforms stand at the
/// middle of what they move.
/// Throws Error{bad_request} for options out of range, Error{bad_input} for a sequence without frames or size.
Result<Rig> decompose(const Sequence& sequence, const DecomposeOptions& options = {}, const Run& run = {});

}  // namespace marrow
