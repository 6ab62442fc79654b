// Method (ours): search of bones on a sample of at most 4096 vertices, in reduced coordinates (FSD, Section 3).
// Grow bones (initialise.cpp), settle, move them (relocate.cpp) from one or several starts, settle again.
#include "decomposition/search_bones.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <iterator>
#include <numeric>
#include <optional>
#include <thread>

#include "core/parallel.hpp"
#include "decomposition/initialise.hpp"
#include "decomposition/relocate.hpp"
#include "decomposition/stopping.hpp"
#include "lbs/descent.hpp"
#include "lbs/linear_fit.hpp"
#include "lbs/points.hpp"
#include "lbs/rest_pose.hpp"
#include "lbs/space.hpp"
#include "marrow/metrics.hpp"
#include "marrow/stages.hpp"

namespace marrow::decomposition {
namespace {

/// coarse_tolerance: E_RMS that the reduced coordinates may leave out. moving_share: the same as a share of the error,
/// while bones are moved.
constexpr double coarse_tolerance = 0.2, moving_share = 0.25;
/// Most vertices used for the search.
constexpr std::size_t search_points = 4096;
/// Rounding of float positions, as a share of the size.
constexpr double rounding = 5e-7;
/// For the estimate of progress, in iterations with the same coordinates: what placing bones costs, and moving them
/// once.
constexpr double iterations_of_placing = 4;
double iterations_per_try(std::size_t bones, const Schedule& schedule) {
  const double many = std::max(1.0, double(bones) / 4);
  return schedule.patient ? 22 + many / 4 : 14;
}
/// And what an iteration costs while bones are moved, with fewer coordinates.
constexpr double share_while_moving = 0.6;
/// Parameters of the starts.
constexpr Growth growths[] = {{4, 2}, {1, 2}, {4, 8}, {2, 1}, {1, 8}, {2, 4}};

/// Vertices of the sample, at equal steps of the index; empty if all are used.
std::vector<std::uint32_t> choose_subset(std::size_t vertices) {
  std::vector<std::uint32_t> subset;
  if (vertices <= search_points) return subset;
  subset.resize(search_points);
  for (std::size_t e = 0; e < search_points; ++e) {
    subset[e] = std::uint32_t(e * vertices / search_points);
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

/// Progress of searches side by side: each tells its own, the calling thread reports their mean.
class SideBySide {
 public:
  SideBySide(std::size_t count, std::string_view stage, const Run& run)
      : done_(count), stage_(stage), run_(run), caller_(std::this_thread::get_id()) {}

  std::function<void(const Progress&)> of(std::size_t k) {
    return [this, k](const Progress& p) {
      done_[k] = p.overall;
      if (std::this_thread::get_id() != caller_) return;
      run_.report(
          {.stage = stage_, .fraction = std::accumulate(done_.begin(), done_.end(), 0.0) / double(done_.size())});
    };
  }

 private:
  std::vector<std::atomic<double>> done_;
  std::string_view stage_;
  const Run& run_;
  std::thread::id caller_;
};

/// Result of one search.
struct Found {
  lbs::State state;
  double promise = 0;
};

/// Moves bones from several starts in parallel, one thread each. `state` is the first start, and the best result. After
/// a stop: the best of the searches that ended.
void search_from_starts(const lbs::Problem& moving, const DecomposeOptions& options, const Schedule& schedule,
                        lbs::State& state, const Run& run) {
  constexpr const char* stage = "trying starts";
  const std::size_t starts = std::min(schedule.starts, std::size(growths));
  std::vector<std::optional<Found>> found(starts);
  SideBySide progress(starts, stage, run);
  const auto search = [&](std::size_t s, std::size_t) {
    const Run alone{.stop = run.stop, .progress = progress.of(s), .threads = 1};
    Stages stages(alone);
    const double moves = schedule.tries * iterations_per_try(options.bones, schedule);
    lbs::State next = state;
    if (s > 0) {
      const Run placing = stages.next(iterations_of_placing, schedule.before + moves);
      next = lbs::State(grow_bones(moving.space, moving.points, moving.neighbours, options.bones, growths[s], placing),
                        moving);
      lbs::descend(moving, next, schedule.before, stages.next(schedule.before, moves), stage);
    }
    relocate(moving, next, schedule.tries, schedule.patient, stages.next(moves, 0));
    const double left = promise(moving, next, options, alone);
    stages.done();
    found[s] = Found{std::move(next), left};
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

/// What starts side by side cost, in iterations on all threads.
double cost_of_starts(const DecomposeOptions& options, const Schedule& schedule, const Run& run) {
  if (schedule.starts < 2) return 0;
  const auto threads = double(thread_count(run));
  const double turns = std::ceil(double(schedule.starts) / threads);
  return turns * threads *
         (iterations_of_placing + schedule.before + schedule.tries * iterations_per_try(options.bones, schedule));
}

/// The same for all moving of bones, in iterations with all coordinates.
double cost_of_moving(const DecomposeOptions& options, const Schedule& schedule, const Run& run) {
  if (schedule.tries == 0) return 0;
  return share_while_moving *
         (cost_of_starts(options, schedule, run) + schedule.tries * iterations_per_try(options.bones, schedule));
}

/// Moves bones, from one start or several.
void search_places(const SearchGround& ground, const DecomposeOptions& options, const Schedule& schedule,
                   lbs::State& state, const Run& run) {
  Stages stages(run);
  const double moves = schedule.tries * iterations_per_try(options.bones, schedule);
  // Fewer coordinates suffice to find places.
  const lbs::Points less = ground.with_error(moving_share * ground.e_rms_of(state));
  lbs::Problem moving = ground.problem(less);
  moving.rest_limit = ground.rest_limit;
  state.reset();
  if (schedule.starts > 1) {
    search_from_starts(moving, options, schedule, state, stages.next(cost_of_starts(options, schedule, run), moves));
  }
  relocate(moving, state, schedule.tries, schedule.patient, stages.next(moves, 0));
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

double cost_of_search(const DecomposeOptions& options, const Schedule& schedule, const Run& run) {
  return iterations_of_placing + schedule.before + cost_of_moving(options, schedule, run) + schedule.after;
}

lbs::State search_bones(const SearchGround& ground, const DecomposeOptions& options, const Schedule& schedule,
                        Report& report, const Run& run) {
  Stages stages(run);
  const double moves = cost_of_moving(options, schedule, run);
  const Run placing = options.keep_best ? unstoppable(run) : run;
  const Run first = stages.next(iterations_of_placing, schedule.before + moves + schedule.after);
  lbs::State state(grow_bones(ground.space, ground.sample, ground.neighbours, options.bones, growths[0],
                              options.keep_best ? unstoppable(first) : first),
                   ground.problem(ground.sample));
  lbs::descend(ground.problem(ground.sample), state, 1, placing);
  const lbs::Points enough = ground.with_error(fine_share * ground.e_rms_of(state));
  lbs::Problem problem = ground.problem(enough);
  stoppable(options, report, [&] {
    lbs::descend(problem, state, schedule.before - 1, stages.next(schedule.before, moves + schedule.after),
                 "settling bones");
    if (schedule.tries > 0) search_places(ground, options, schedule, state, stages.next(moves, schedule.after));
  });
  if (schedule.tries > 0) {
    state.reset();
    lbs::descend(problem, state, 1, placing);
  }
  problem.move_rest = options.rest_pose == RestPose::alternate;
  problem.rest_limit = ground.rest_limit;
  stoppable(options, report, [&] {
    lbs::descend(problem, state, schedule.after - 1, stages.next(schedule.after, 0), "settling bones");
  });
  stages.done();
  return state;
}

}  // namespace marrow::decomposition
