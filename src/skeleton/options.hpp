#pragma once

#include "marrow/decompose.hpp"
#include "marrow/skeleton.hpp"

namespace marrow::skeleton {

/// Throws Error{bad_request} or Error{bad_input} for what cannot be solved.
void check(const Sequence& sequence, const SkeletonOptions& options);
/// The same for the bones of a rig.
void check(const Sequence& sequence, const Rig& rig, const SkeletonOptions& options);
/// How many free bones to start from.
std::size_t starting_bones(const Sequence& sequence, const SkeletonOptions& options);
/// What was asked, for the report.
std::vector<std::pair<std::string, Setting>> settings(const SkeletonOptions& options);
/// The free bones to start from.
DecomposeOptions free_bones(const SkeletonOptions& options, std::size_t bones);

/// How many iterations of what.
struct Schedule {
  int soft = 2;              ///< per pass of growing joints
  int tries = 2;             ///< to move bones
  std::size_t starts = 2;    ///< of the search, where there is noise
  int sharpen = 3;           ///< times to begin from whole weights, where there is noise
  int settle = 30;           ///< on the search points, with bones where they belong
  int hard = 60;             ///< on all vertices, at most
  double least_gain = 1e-3;  ///< they end when five of them gain less than this share of the error
};
Schedule schedule(Effort effort);

}  // namespace marrow::skeleton
