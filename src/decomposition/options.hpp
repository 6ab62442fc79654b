#pragma once

#include "marrow/decompose.hpp"

namespace marrow::decomposition {

/// Numbers of iterations.
struct Schedule {
  int before = 0;          ///< on the sample, before bones are moved
  int tries = 0;           ///< attempts to move bones
  std::size_t starts = 1;  ///< of the search; the best is kept
  bool patient = false;    ///< remove bones one at a time, not several
  int after = 0;           ///< on the sample, after bones are moved
  int all_points = 0;      ///< on all vertices, at most
  double least_gain = 0;   ///< stop when five iterations on all vertices gain less than this share of the error
};
Schedule schedule(Effort effort);

/// Throws Error{bad_request} or Error{bad_input} if the input cannot be solved.
void check(const Sequence& sequence, const DecomposeOptions& options);
/// Checks given bones: they must move in every frame of the sequence.
void check(const Sequence& sequence, const Motion& motion);

}  // namespace marrow::decomposition
