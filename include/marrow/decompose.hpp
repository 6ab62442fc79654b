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

struct DecomposeOptions {
  std::size_t bones = 20;      ///< exactly this many, 1 to the number of vertices; each moves some vertex
  std::size_t influences = 4;  ///< bones per vertex, at most; from 1; `bones` or more means all
  Effort effort = Effort::normal;
};

/// Finds rigid bones and convex weights that play a mesh sequence as linear blend skinning (after SSDR, Le and Deng
/// 2012). The rest pose is kept as given. The rig's bones have no hierarchy; their bind transforms are translations to
/// the middle of what they move.
/// Throws Error{bad_request} for options out of range, Error{bad_input} for a sequence without frames or size.
Result<Rig> decompose(const Sequence& sequence, const DecomposeOptions& options = {}, const Run& run = {});

}  // namespace marrow
