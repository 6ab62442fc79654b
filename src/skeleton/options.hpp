#pragma once

#include "marrow/decompose.hpp"
#include "marrow/skeleton.hpp"

namespace marrow::skeleton {

/// Throws Error{bad_request} or Error{bad_input} if the input cannot be solved.
void check(const Sequence& sequence, const SkeletonOptions& options);
/// Checks options for the bones of a given rig.
void check(const Sequence& sequence, const Rig& rig, const SkeletonOptions& options);
/// Number of free bones to start with.
std::size_t starting_bones(const Sequence& sequence, const SkeletonOptions& options);
/// Options of the free bones to start with.
DecomposeOptions free_bones(const SkeletonOptions& options, std::size_t bones);

/// Numbers of iterations.
struct Schedule {
  int soft = 2;              ///< per pass of join_softly()
  int tries = 2;             ///< attempts to exchange bones
  std::size_t starts = 2;    ///< of the search, with noise
  int sharpen = 3;           ///< restarts from whole weights, with noise
  int settle = 30;           ///< on the sample, with the final bones
  int hard = 60;             ///< on all vertices, at most
  double least_gain = 1e-3;  ///< stop when five iterations on all vertices gain less than this share of the error
};
Schedule schedule(Effort effort);

}  // namespace marrow::skeleton
