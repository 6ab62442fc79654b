// Le & Deng 2012 (SSDR), Eq. (2) and Algorithm 1, in reduced coordinates (Kavan et al. 2010 (FSD), Section 3): weights,
// transforms and rest pose in turn. Differs: bones are searched for on a sample of the vertices first (search.cpp).
#include "marrow/decompose.hpp"
#include "core/stopwatch.hpp"

#include "decomposition/refine.hpp"
#include "lbs/descent.hpp"
#include "marrow/stages.hpp"

namespace marrow {

using namespace decomposition;

Result<Rig> decompose(const Sequence& sequence, const DecomposeOptions& options, const Run& run) {
  check(sequence, options);
  Report report;
  report.settings = settings_of(options);
  Stopwatch watch(report);
  const Schedule schedule = decomposition::schedule(options.effort);
  Stages stages(run);
  const double search = cost_of_search(options, schedule, run);
  const SearchGround ground = make_ground(sequence, options, stages.next(cost_of_ground, search));
  const double refining = cost_of_refining(ground, schedule);
  watch.lap("reduce");
  const lbs::State found = search_bones(ground, options, schedule, report, stages.next(search, refining));
  watch.lap("search");
  Rig rig = refine_all(sequence, ground, found, options, schedule, report, stages.next(refining, 0));
  stages.done();
  return {std::move(rig), std::move(report)};
}

}  // namespace marrow
