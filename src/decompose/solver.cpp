#include "decompose/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "decompose/initialise.hpp"
#include "decompose/relocate.hpp"
#include "decompose/rest_pose.hpp"
#include "decompose/to_rig.hpp"
#include "marrow/error.hpp"
#include "marrow/metrics.hpp"
#include "metrics/stats.hpp"

namespace marrow::ssdr {
namespace {

/// E_RMS that the reduced coordinates may lose while bones are searched for; while they are moved about, as a share of
/// the error; and at the end, as a share of the error and not less than.
constexpr double coarse_tolerance = 0.2, moving_share = 0.25, fine_share = 0.1, least_tolerance = 1e-3;
/// Bones are placed, and searched for, on at most this many vertices.
constexpr std::size_t search_points = 4096;
/// Of float positions, as a share of the size.
constexpr double rounding = 5e-7;
/// Where searches start from.
constexpr Growth growths[] = {{4, 2}, {1, 2}, {4, 8}, {2, 1}, {1, 8}};
/// Iterations left after the one correction of the rest pose.
constexpr int after_rest = 4;

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

/// Fewer coordinates: where bones belong can be seen with less.
Points with_less(const SearchGround& ground, const State& state) {
  const double enough = moving_share * ground.e_rms_of(state);
  std::size_t rank = 1;
  while (rank < ground.sample.rank && ground.space.dropped[static_cast<Eigen::Index>(rank)] > enough) ++rank;
  return truncated(ground.sample, rank);
}

/// What a stretching bone stretches along: the main directions of what it moves. Its transforms so far only turn and
/// scale evenly, so any axes fit them.
void choose_axes(State& state) {
  for (std::size_t j = 0; j < state.normal.bones; ++j) {
    if (!state.normal.linked(j, j)) continue;
    const Eigen::Matrix4d h = state.normal.block(j, j);
    const Eigen::Vector3d centre = h.block<3, 1>(0, 3) / h(3, 3);
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen;
    eigen.computeDirect(h.topLeftCorner<3, 3>() / h(3, 3) - centre * centre.transpose());
    Eigen::Matrix3d axes = eigen.eigenvectors();
    if (axes.determinant() < 0) axes.col(0) *= -1;
    if (axes.allFinite() && (axes.transpose() * axes).isIdentity(1e-9)) state.axes[j] = axes;
  }
}

/// The error that a state leads to: the rest pose, where it may move, can make up for more in one than in another.
double promise(Problem problem, const State& state, const DecomposeOptions& options, const Run& run) {
  if (options.rest_pose == RestPose::keep) return state.error;
  State next = state;
  solve_rest_pose(problem.space, problem.points, next.bones, next.weights, problem.rest_limit, next.rest, run);
  next.reset();
  problem.move_rest = options.rest_pose == RestPose::alternate;
  descend(problem, next, after_rest, run);
  return next.error;
}

/// The same run, but it cannot be stopped.
Run unstoppable(const Run& run) {
  Run other = run;
  other.stop = {};
  return other;
}

/// Calls `work`; with keep_best, a stop ends it early and is noted, not passed on.
template <class Work>
void stoppable(const DecomposeOptions& options, Report& report, Work work) {
  if (report.status == Status::stopped) return;
  try {
    work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::stopped || !options.keep_best) throw;
    report.status = Status::stopped;
  }
}

/// Notes how far the rest pose moved.
void report_rest_pose(const Sequence& sequence, const Rig& rig, Report& report) {
  std::vector<float> distances = vertex_errors(sequence.mesh.positions, rig.mesh.positions);
  const ErrorStats moved = error_stats(distances);
  const double percent = 100 / size_of(sequence.mesh.positions);
  report.figures.emplace_back("rest_pose_moved_max_percent", percent * moved.max);
  report.figures.emplace_back("rest_pose_moved_rms_percent", percent * moved.rms);
}

/// What the limit on scaling costs: a few iterations without it.
void report_conditioning(const Problem& problem, const State& state, Report& report, const Run& run) {
  Problem free = problem;
  free.model.limit = 0;
  State other = state;
  descend(free, other, 3, run);
  const double with = e_rms(state.error - state.springs, problem.points.count, problem.space.frames);
  report.figures.emplace_back("conditioning_price_e_rms",
                              with - e_rms(other.error - other.springs, problem.points.count, problem.space.frames));
}

/// Everything with every vertex, in coordinates that lose at most `tolerance` of E_RMS.
struct Stage {
  Space space;
  Points points;
  Problem problem;
  State state;

  Stage(const Sequence& sequence, const SearchGround& ground, double tolerance, const Bones& bones,
        const DecomposeOptions& options, const Run& run)
      : space(fine_space(sequence, ground, std::max(least_tolerance, tolerance), run)),
        points(make_points(sequence, space, {}, run)),
        problem{space, points, ground.all_neighbours, ground.model, ground.influences},
        state(bones, problem) {
    problem.move_rest = options.rest_pose == RestPose::alternate;
    problem.rest_limit = ground.rest_limit;
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  static Space fine_space(const Sequence& sequence, const SearchGround& ground, double tolerance, const Run& run) {
    const double coarse = ground.space.dropped[ground.space.dropped.size() - 1];
    return tolerance < coarse ? make_space(sequence, tolerance, run) : ground.space;
  }
  void use_springs(const Sequence& sequence, double strength, double e_rms_so_far, const Run& run) {
    problem.smoothness = make_smoothness(sequence, space, problem.neighbours, strength, e_rms_so_far, run);
  }
  double e_rms_now() const { return e_rms(state.error - state.springs, points.count, space.frames); }
  double lost() const { return space.dropped[space.dropped.size() - 1]; }

  std::unique_ptr<Stage> with_more_coordinates(const Sequence& sequence, const SearchGround& ground,
                                               const DecomposeOptions& options, const Run& run) const {
    auto next = std::make_unique<Stage>(sequence, ground, fine_share * e_rms_now(), state.bones, options, run);
    next->problem.model = problem.model;
    next->problem.smoothness = problem.smoothness;
    next->state.axes = state.axes;
    next->state.rest = state.rest;
    next->state.weights = state.weights;
    return next;
  }
};

/// Whether the last five iterations together gained less than `least_gain` of the error.
bool settled(const std::vector<double>& curve, double least_gain) {
  constexpr std::size_t span = 5;
  if (curve.size() <= span) return false;
  return curve.back() > (1 - least_gain) * curve[curve.size() - 1 - span];
}

}  // namespace

SearchGround make_ground(const Sequence& sequence, const DecomposeOptions& options, const Run& run) {
  SearchGround ground;
  ground.space = make_space(sequence, coarse_tolerance, run);
  ground.all_neighbours = mesh_neighbours(sequence.mesh);
  const std::vector<std::uint32_t> subset = choose_subset(sequence.vertices());
  ground.sample = make_points(sequence, ground.space, subset, run);
  ground.neighbours = subset.empty() ? ground.all_neighbours : subset_neighbours(ground.all_neighbours, subset);
  // What a bone stretches along is chosen when its place is known.
  ground.model = {options.kind == BoneKind::stretch ? BoneKind::scale : options.kind, options.conditioning};
  // Positions become floats in the end: what they may be rounded by is kept from the limit.
  const double size = size_of(sequence.mesh.positions) / ground.space.radius;
  if (options.rest_limit > 0) ground.rest_limit = size * std::max(1e-9, options.rest_limit - rounding);
  ground.influences = std::min(options.influences, options.bones);
  return ground;
}

State search_bones(const SearchGround& ground, const DecomposeOptions& options, const Schedule& plan, Report& report,
                   const Run& run) {
  const Run placing = options.keep_best ? unstoppable(run) : run;
  State state(grow_bones(ground.space, ground.sample, ground.neighbours, options.bones, growths[0], placing),
              ground.problem());
  descend(ground.problem(), state, 1, placing);
  stoppable(options, report, [&] {
    descend(ground.problem(), state, plan.before - 1, run);
    if (plan.tries == 0) return;
    const Points less = with_less(ground, state);
    Problem moving{ground.space, less, ground.neighbours, ground.model, ground.influences};
    moving.rest_limit = ground.rest_limit;
    state.reset();
    relocate(moving, state, plan.tries, plan.patient, run);
    if (plan.starts == 1) return;
    double least = promise(moving, state, options, run);
    for (int k = 1; k < plan.starts; ++k) {
      State other(grow_bones(ground.space, less, ground.neighbours, options.bones, growths[k], run), moving);
      descend(moving, other, plan.before, run);
      relocate(moving, other, plan.tries, plan.patient, run);
      const double left = promise(moving, other, options, run);
      if (left >= least) continue;
      least = left;
      state = std::move(other);
    }
    relocate(moving, state, plan.tries, plan.patient, run);
  });
  state.reset();
  descend(ground.problem(), state, 1, placing);
  stoppable(options, report, [&] {
    Problem problem = ground.problem();
    problem.move_rest = options.rest_pose == RestPose::alternate;
    problem.rest_limit = ground.rest_limit;
    descend(problem, state, plan.after - 1, run);
  });
  return state;
}

Rig refine_all(const Sequence& sequence, const SearchGround& ground, const Bones& bones, double e_rms_so_far,
               const DecomposeOptions& options, const Schedule& plan, Report& report, const Run& run) {
  Stopwatch watch(report);
  const Run sure = options.keep_best ? unstoppable(run) : run;
  auto stage = std::make_unique<Stage>(sequence, ground, fine_share * e_rms_so_far, bones, options, sure);
  stage->use_springs(sequence, options.smooth, e_rms_so_far, sure);
  watch.lap("reduce all vertices");

  int iteration = 0;
  const auto iterate = [&](const Run& with) {
    descend(stage->problem, stage->state, 1, with);
    report.error_curve.push_back(stage->e_rms_now());
    ++iteration;
    run.report({.stage = "refining",
                .fraction = static_cast<double>(iteration) / plan.all_points,
                .iteration = iteration,
                .error = report.error_curve.back()});
  };
  iterate(sure);
  if (options.kind == BoneKind::stretch) {
    choose_axes(stage->state);
    stage->problem.model.kind = BoneKind::stretch;
    stage->state.previous = stage->state.bones;
  }
  const int before_rest =
      options.rest_pose == RestPose::once ? std::max(1, plan.all_points - after_rest) : plan.all_points;
  stoppable(options, report, [&] {
    while (iteration < before_rest && !settled(report.error_curve, plan.least_gain)) {
      iterate(run);
      // What the coordinates leave out must stay small beside what is left of the error.
      if (stage->lost() > 3 * fine_share * stage->e_rms_now() && stage->lost() > least_tolerance) {
        stage = stage->with_more_coordinates(sequence, ground, options, run);
      }
    }
    if (options.rest_pose != RestPose::once) return;
    Problem& problem = stage->problem;
    State& state = stage->state;
    solve_rest_pose(problem.space, problem.points, state.bones, state.weights, problem.rest_limit, state.rest, run);
    state.reset();
    for (int k = 0; k < after_rest; ++k) iterate(run);
  });
  if (options.kind != BoneKind::rigid && options.conditioning > 0 && report.status == Status::done) {
    report_conditioning(stage->problem, stage->state, report, run);
  }
  const std::size_t idle = employ_idle_bones(stage->points, stage->state);
  if (idle > 0) {
    report.warnings.push_back(fmt::format(
        "{} of {} bones were not needed; each shares a vertex with a bone that moves alike", idle, bone_count(bones)));
  }
  Rig rig = to_rig(sequence, stage->space, stage->points.rest, stage->state);
  if (options.rest_pose != RestPose::keep) report_rest_pose(sequence, rig, report);
  watch.lap("refine");
  return rig;
}

}  // namespace marrow::ssdr
