// Le & Deng 2012 (SSDR), Eq. (2) and Algorithm 1, in reduced coordinates (Kavan et al. 2010 (FSD), Section 3): weights,
// transforms and rest pose in turn. Differs: bones are searched for on a sample of the vertices first (search.cpp).
#include "marrow/decompose.hpp"

#include "decomposition/solver.hpp"
#include "lbs/descent.hpp"

namespace marrow {

using namespace decomposition;

Result<Rig> decompose(const Sequence& sequence, const DecomposeOptions& options, const Run& run) {
  check(sequence, options);
  Report report;
  report.settings = settings(options);
  Stopwatch watch(report);
  const Schedule plan = schedule(options.effort);
  const SearchGround ground = make_ground(sequence, options, run);
  watch.lap("reduce");
  const lbs::State found = search_bones(ground, options, plan, report, run);
  watch.lap("search");
  Rig rig = refine_all(sequence, ground, found, options, plan, report, run);
  return {std::move(rig), std::move(report)};
}

}  // namespace marrow
