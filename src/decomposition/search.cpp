// Finds bones on a sample of the vertices.
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

/// E_RMS that the reduced coordinates may lose; and, while bones are moved about, as a share of the error.
constexpr double coarse_tolerance = 0.2, moving_share = 0.25;
/// Bones are placed, and searched for, on at most this many vertices.
constexpr std::size_t search_points = 4096;
/// Of float positions, as a share of the size.
constexpr double rounding = 5e-7;
/// Where searches start from.
constexpr Growth growths[] = {{4, 2}, {1, 2}, {4, 8}, {2, 1}, {1, 8}, {2, 4}};

/// Evenly spread over the vertices' order; empty where all are taken.
std::vector<std::uint32_t> choose_subset(std::size_t vertices) {
  std::vector<std::uint32_t> subset;
  if (vertices <= search_points) return subset;
  subset.resize(search_points);
  for (std::size_t k = 0; k < search_points; ++k) {
    subset[k] = static_cast<std::uint32_t>(k * vertices / search_points);
  }
  return subset;
}

/// The error that a state leads to: the rest pose, where it may move, can make up for more in one than in another.
double promise(lbs::Problem problem, const lbs::State& state, const DecomposeOptions& options, const Run& run) {
  if (options.rest_pose == RestPose::keep) return state.error;
  lbs::State next = state;
  lbs::solve_rest_pose(problem.space, problem.points, next.bones, next.weights, problem.rest_limit, next.rest, run);
  next.reset();
  problem.move_rest = options.rest_pose == RestPose::alternate;
  lbs::descend(problem, next, iterations_after_rest, run);
  return next.error;
}

/// A search that ended.
struct Found {
  lbs::State state;
  double promise = 0;
};

/// Moves bones about from several starts side by side, each on one thread; `state` is the first, and the best at the
/// end. After a stop, the best of those that ended.
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
    p.fraction = (ended + p.fraction) / static_cast<double>(starts);
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

/// Moves bones about, from one start or from several.
void search_places(const SearchGround& ground, const DecomposeOptions& options, const Schedule& plan, lbs::State& state,
                   const Run& run) {
  // Where bones belong can be seen with less.
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
  // What a bone stretches along is chosen when its place is known.
  ground.model =
      lbs::model_of(options.kind == BoneKind::stretch ? BoneKind::scale : options.kind, options.conditioning);
  // Positions become floats in the end: what they may be rounded by is kept from the limit.
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
