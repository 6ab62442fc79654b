// Method (ours): error against number of bones, and the fewest bones for an error target. SSDR and FSD take the number
// as given. Searches with the most bones, then removes the cheapest bone, settles and measures, down to one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/stopwatch.hpp"
#include "decomposition/initialise.hpp"
#include "decomposition/refine.hpp"
#include "decomposition/removal.hpp"
#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/to_rig.hpp"
#include "marrow/error.hpp"
#include "marrow/metrics.hpp"
#include "marrow/stages.hpp"

namespace marrow {

using namespace decomposition;

namespace {

/// Iterations after each removal.
constexpr int settle = 2;
/// First number of bones tried for an error target.
constexpr std::size_t few_bones = 8;
/// Typical error of a refined rig, as a share of its point on the curve.
constexpr double refinement = 0.95;
/// For the estimate of progress: the number of rigs that are refined before one is chosen.
constexpr double expected_choices = 3;

/// The same in iterations with all bones.
double cost_of_taking_out(const DecomposeOptions& options) {
  return 0.5 * (settle + 1) * double(options.bones);
}

/// E_RMS after one more iteration with all coordinates of the sample, including what the coordinates leave out.
double whole_error(const SearchGround& ground, lbs::State& state, const Run& run) {
  state.error = lbs::State::unknown;
  lbs::descend(ground.problem(ground.sample), state, 1, run);
  return std::hypot(ground.e_rms_of(state), ground.space.lost());
}

Motion with_last_bone_doubled(const Motion& motion) {
  Motion more{motion.timeline, motion.bones + 1, {}};
  for (std::size_t t = 0; t < motion.frames(); ++t) {
    const auto frame = motion.frame(t);
    more.transforms.insert(more.transforms.end(), frame.begin(), frame.end());
    more.transforms.push_back(frame.back());
  }
  return more;
}

BoneCurve take_out(const SearchGround& ground, const Timeline& timeline, lbs::State state, const Run& run) {
  BoneCurve curve;
  const std::size_t most = lbs::bone_count(state.bones);
  const lbs::Problem problem = ground.problem(ground.sample);
  for (;;) {
    const std::size_t count = lbs::bone_count(state.bones);
    curve.bones.push_back(count);
    curve.e_rms.push_back(whole_error(ground, state, run));
    curve.motions.push_back(lbs::to_motion(ground.space, timeline, state.bones));
    // Iterations take as long as there are bones, and so the time is as the square of what is left. No error is
    // reported: it rises.
    const double left = double(count - 1) / double(most);
    run.report({.stage = "taking bones out", .fraction = 1 - left * left});
    if (count == 1) break;
    const std::vector<double> costs = removal_costs(problem, state, run);
    remove_bone(state, std::size_t(std::ranges::min_element(costs) - costs.begin()));
    lbs::descend(problem, state, settle - 1, run);  // the last iteration is that of whole_error()
  }
  std::ranges::reverse(curve.bones);
  std::ranges::reverse(curve.e_rms);
  std::ranges::reverse(curve.motions);
  // The curve must not rise with the number of bones. Where a run was not settled enough, take the bones of the next
  // smaller number, one of them doubled.
  for (std::size_t e = 1; e < most; ++e) {
    if (curve.e_rms[e] < curve.e_rms[e - 1]) continue;
    curve.e_rms[e] = curve.e_rms[e - 1];
    curve.motions[e] = with_last_bone_doubled(curve.motions[e - 1]);
  }
  return curve;
}

DecomposeOptions with_bones(DecomposeOptions options, std::size_t bones) {
  options.bones = bones;
  return options;
}

}  // namespace

std::size_t BoneCurve::knee() const {
  std::size_t best = 0;
  double furthest = -1;
  const auto height = [&](std::size_t e) { return std::log(std::max(e_rms[e], 1e-6)); };
  const std::size_t last = bones.size() - 1;
  for (std::size_t e = 0; e <= last; ++e) {
    const double along = last > 0 ? double(e) / double(last) : 0;
    const double below = (1 - along) * height(0) + along * height(last) - height(e);
    if (below > furthest) {
      furthest = below;
      best = e;
    }
  }
  return best;
}

Result<BoneCurve> bone_curve(const Sequence& sequence, const DecomposeOptions& options, const Run& run) {
  check(sequence, options);
  Report report;
  report.settings = settings_of(options);
  Stopwatch watch(report);
  const Schedule schedule = decomposition::schedule(options.effort);
  Stages stages(run, {cost_of_ground, cost_of_search(options, schedule, run), cost_of_taking_out(options)});
  const SearchGround ground = make_ground(sequence, options, stages.next());
  lbs::State state = search_bones(ground, options, schedule, report, stages.next());
  watch.lap("search");
  BoneCurve curve = take_out(ground, sequence.timeline, std::move(state), stages.next());
  stages.done();
  watch.lap("take out");
  return {std::move(curve), std::move(report)};
}

Result<Rig> decompose_from(const Sequence& sequence, const Motion& start, const DecomposeOptions& options,
                           const Run& run) {
  check(sequence, start);
  const DecomposeOptions asked = with_bones(options, start.bones);
  check(sequence, asked);
  Report report;
  report.settings = settings_of(asked);
  const Schedule schedule = decomposition::schedule(asked.effort);
  Stages stages(run);
  const SearchGround ground =
      make_ground(sequence, asked, stages.next(cost_of_ground, schedule.after + schedule.all_points));
  const lbs::Problem problem = ground.problem(ground.sample);
  lbs::State state(lbs::to_bones(ground.space, start), problem);
  const double refining = cost_of_refining(ground, schedule);
  lbs::descend(problem, state, schedule.after, stages.next(schedule.after, refining), "settling bones");
  Rig rig = refine_all(sequence, ground, state, asked, schedule, report, stages.next(refining, 0));
  stages.done();
  return {std::move(rig), std::move(report)};
}

Result<Rig> decompose_to_error(const Sequence& sequence, double e_rms, const DecomposeOptions& options,
                               const Run& run) {
  check(sequence, options);
  if (!(e_rms > 0)) throw Error(ErrorCode::bad_request, "error", "the error to reach must be above 0");
  Report report;
  report.settings = settings_of(options);
  report.settings.emplace_back("error", e_rms);
  Stopwatch watch(report);
  const Schedule schedule = decomposition::schedule(options.effort);
  Schedule quick = schedule;
  quick.tries = 0;
  const double search = cost_of_search(options, schedule, run), trial = cost_of_search(options, quick, run);
  Stages stages(run);
  const SearchGround ground =
      make_ground(sequence, options, stages.next(cost_of_ground, 2 * trial + search + cost_of_taking_out(options)));
  const double refining = expected_choices * (schedule.after + cost_of_refining(ground, schedule));
  // Double the number of bones until it is enough. Without moving bones, the error is an upper bound of what a search
  // finds.
  std::size_t enough = std::min(few_bones, options.bones);
  for (;; enough = std::min(2 * enough, options.bones)) {
    const Run trying = stages.next(trial, trial + search + cost_of_taking_out(options) + refining);
    lbs::State state = search_bones(ground, with_bones(options, enough), quick, report, trying);
    if (whole_error(ground, state, run) <= e_rms || enough == options.bones) break;
  }
  const double taking_out = cost_of_taking_out(with_bones(options, enough));
  lbs::State state =
      search_bones(ground, with_bones(options, enough), schedule, report, stages.next(search, taking_out + refining));
  watch.lap("search");
  const BoneCurve curve = take_out(ground, sequence.timeline, std::move(state), stages.next(taking_out, refining));
  watch.lap("take out");

  // The curve gives the number to start from; metrics decide.
  const auto solved = [&](std::size_t bones) {
    const Run choosing = stages.next(1, expected_choices - 1);
    Result<Rig> result = decompose_from(sequence, curve.motions[bones - 1], options, choosing);
    const double reached = compare(sequence, result.value, silent(run)).e_rms;
    return std::pair(std::move(result), reached);
  };
  std::size_t bones = 1;
  while (bones < enough && refinement * curve.e_rms[bones - 1] > e_rms) ++bones;
  auto [best, reached] = solved(bones);
  while (reached > e_rms && bones < enough) std::tie(best, reached) = solved(++bones);
  while (reached <= e_rms && bones > 1) {
    auto [fewer, fewer_reached] = solved(bones - 1);
    if (fewer_reached > e_rms) break;
    std::tie(best, reached) = std::pair(std::move(fewer), fewer_reached);
    --bones;
  }
  watch.lap("choose");
  stages.done();
  report.error_curve = std::move(best.report.error_curve);
  report.figures = std::move(best.report.figures);
  report.warnings = std::move(best.report.warnings);
  if (reached > e_rms) {
    report.status = Status::quality_missed;
    report.warnings.push_back(
        fmt::format("{} bones reach E_RMS {:.4g}, not {:.4g}; allow more", bones, reached, e_rms));
  }
  return {std::move(best.value), std::move(report)};
}

}  // namespace marrow
