// Method (ours): search of bones on a sample of at most 4096 vertices, in reduced coordinates (FSD, Section 3).
// Grow bones (initialise.cpp), settle, move them (relocate.cpp) from one or several starts, settle again.
#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <optional>
#include <thread>

#include "core/parallel.hpp"
#include "decomposition/initialise.hpp"
#include "decomposition/relocate.hpp"
#include "decomposition/solver.hpp"
#include "decomposition/stopping.hpp"
#include "lbs/descent.hpp"
#include "lbs/linear_fit.hpp"
#include "lbs/points.hpp"
#include "lbs/rest_pose.hpp"
#include "lbs/space.hpp"
#include "marrow/metrics.hpp"

namespace marrow::decomposition {
namespace {

/// coarse_tolerance: E_RMS that the reduced coordinates may leave out. moving_share: the same as a share of the error,
/// while bones are moved.
constexpr double coarse_tolerance = 0.2, moving_share = 0.25;
/// Most vertices used for the search.
constexpr std::size_t search_points = 4096;
/// Rounding of float positions, as a share of the size.
constexpr double rounding = 5e-7;
/// Parameters of the starts.
constexpr Growth growths[] = {{4, 2}, {1, 2}, {4, 8}, {2, 1}, {1, 8}, {2, 4}};

/// Vertices of the sample, at equal steps of the index; empty if all are used.
std::vector<std::uint32_t> choose_subset(std::size_t vertices) {
  std::vector<std::uint32_t> subset;
  if (vertices <= search_points) return subset;
  subset.resize(search_points);
  for (std::size_t k = 0; k < search_points; ++k) {
    subset[k] = std::uint32_t(k * vertices / search_points);
  }
  return subset;
}

/// Error that a state leads to. Where the rest pose may move, it can correct more in one state than in another.
double promise(lbs::Problem problem, const lbs::State& state, const DecomposeOptions& options, const Run& run) {
  if (options.rest_pose == RestPose::keep) return state.error;
  lbs::State next = state;
  lbs::solve_rest_pose(problem.space, problem.points, next.bones, next.weights, problem.rest_limit, next.rest, run);
  next.reset();
  problem.move_rest = options.rest_pose == RestPose::alternate;
  lbs::descend(problem, next, iterations_after_rest, run);
  return next.error;
}

/// Result of one search.
struct Found {
  lbs::State state;
  double promise = 0;
};

/// Moves bones from several starts in parallel, one thread each. `state` is the first start, and the best result. After
/// a stop: the best of the searches that ended.
void search_from_starts(const lbs::Problem& moving, const DecomposeOptions& options, const Schedule& plan,
                        lbs::State& state, const Run& run) {
  constexpr const char* stage = "trying starts";
  const std::size_t starts = std::min(plan.starts, std::size(growths));
  const std::thread::id caller = std::this_thread::get_id();
  std::vector<std::optional<Found>> found(starts);
  std::atomic<int> ended = 0;
  const auto report = [&](Progress p) {
    if (p.stage != "moving bones") return;
    p.stage = stage;
    p.fraction = (ended + p.fraction) / double(starts);
    run.report(p);
  };
  const auto search = [&](std::size_t k, std::size_t) {
    Run alone{.stop = run.stop, .threads = 1};
    if (std::this_thread::get_id() == caller) alone.progress = report;
    lbs::State next = state;
    if (k > 0) {
      next = lbs::State(grow_bones(moving.space, moving.points, moving.neighbours, options.bones, growths[k], alone),
                        moving);
      lbs::descend(moving, next, plan.before, alone);
    }
    relocate(moving, next, plan.tries, plan.patient, alone);
    const double left = promise(moving, next, options, alone);
    found[k] = Found{std::move(next), left};
    ++ended;
  };
  std::exception_ptr stopped;
  try {
    parallel_for(run, stage, starts, 1, search);
  } catch (const Error&) {
    stopped = std::current_exception();
  }
  double least = lbs::State::unknown;
  for (std::optional<Found>& one : found) {
    if (!one || one->promise >= least) continue;
    least = one->promise;
    state = std::move(one->state);
  }
  if (stopped) std::rethrow_exception(stopped);
}

/// Moves bones, from one start or several.
void search_places(const SearchGround& ground, const DecomposeOptions& options, const Schedule& plan, lbs::State& state,
                   const Run& run) {
  // Fewer coordinates suffice to find places.
  const lbs::Points less = ground.with_error(moving_share * ground.e_rms_of(state));
  lbs::Problem moving = ground.problem(less);
  moving.rest_limit = ground.rest_limit;
  state.reset();
  if (plan.starts > 1) search_from_starts(moving, options, plan, state, run);
  relocate(moving, state, plan.tries, plan.patient, run);
}

}  // namespace

SearchGround make_ground(const Sequence& sequence, const DecomposeOptions& options, const Run& run) {
  SearchGround ground;
  ground.space = lbs::make_space(sequence, coarse_tolerance, run);
  ground.all_neighbours = mesh_neighbours(sequence.mesh);
  const std::vector<std::uint32_t> subset = choose_subset(sequence.vertices());
  ground.sample = lbs::make_points(sequence, ground.space, subset, run);
  ground.neighbours = subset.empty() ? ground.all_neighbours : subset_neighbours(ground.all_neighbours, subset);
  // Axes of stretching bones are chosen once bones are in place (refine.cpp).
  ground.model =
      lbs::model_of(options.kind == BoneKind::stretch ? BoneKind::scale : options.kind, options.conditioning);
  // Positions are rounded to float at the end: keep that off the limit.
  const double size = size_of(sequence.mesh.positions) / ground.space.radius;
  if (options.rest_limit > 0) ground.rest_limit = size * std::max(1e-9, options.rest_limit - rounding);
  ground.influences = std::min(options.influences, options.bones);
  return ground;
}

lbs::State search_bones(const SearchGround& ground, const DecomposeOptions& options, const Schedule& plan,
                        Report& report, const Run& run) {
  const Run placing = options.keep_best ? unstoppable(run) : run;
  lbs::State state(grow_bones(ground.space, ground.sample, ground.neighbours, options.bones, growths[0], placing),
                   ground.problem(ground.sample));
  lbs::descend(ground.problem(ground.sample), state, 1, placing);
  const lbs::Points enough = ground.with_error(fine_share * ground.e_rms_of(state));
  lbs::Problem problem = ground.problem(enough);
  stoppable(options, report, [&] {
    lbs::descend(problem, state, plan.before - 1, run);
    if (plan.tries > 0) search_places(ground, options, plan, state, run);
  });
  if (plan.tries > 0) {
    state.reset();
    lbs::descend(problem, state, 1, placing);
  }
  problem.move_rest = options.rest_pose == RestPose::alternate;
  problem.rest_limit = ground.rest_limit;
  stoppable(options, report, [&] { lbs::descend(problem, state, plan.after - 1, run); });
  return state;
}

}  // namespace marrow::decomposition
