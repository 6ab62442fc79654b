// Le & Deng 2012 (SSDR), Algorithm 1, lines 2 to 6, on all vertices, from the bones of search.cpp; rest pose as in
// Kavan et al. 2010 (FSD). The reduced coordinates grow while the error falls, so that they leave out little of it.
#include "decomposition/refine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/factor.hpp"
#include "core/stopwatch.hpp"
#include "decomposition/stopping.hpp"
#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/linear_fit.hpp"
#include "lbs/points.hpp"
#include "lbs/rest_pose.hpp"
#include "lbs/smoothness.hpp"
#include "lbs/space.hpp"
#include "lbs/to_rig.hpp"
#include "lbs/transforms.hpp"
#include "marrow/metrics.hpp"
#include "marrow/stages.hpp"
#include "metrics/stats.hpp"

namespace marrow::decomposition {
namespace {

/// E_RMS that the reduced coordinates may leave out in any case.
constexpr double least_tolerance = 1e-3;

/// Axes of stretching bones: principal axes of the vertices they move. So far bones only rotate and scale uniformly, so
/// that any axes fit.
void choose_axes(lbs::State& state) {
  for (std::size_t j = 0; j < state.normal.bones; ++j) {
    if (!state.normal.linked(j, j)) continue;
    const Eigen::Matrix4d h = state.normal.block(j, j);
    const Eigen::Vector3d centre = h.block<3, 1>(0, 3) / h(3, 3);
    Eigen::Matrix3d axes = spectrum3(h.topLeftCorner<3, 3>() / h(3, 3) - centre * centre.transpose()).vectors;
    if (axes.determinant() < 0) axes.col(0) *= -1;
    if (axes.allFinite() && (axes.transpose() * axes).isIdentity(1e-9)) state.axes[j] = axes;
  }
}

/// Reports how far the rest pose moved, in % of the size.
void report_rest_pose(const Sequence& sequence, const Rig& rig, Report& report) {
  std::vector<float> distances = vertex_errors(sequence.mesh.positions, rig.mesh.positions);
  const ErrorStats moved = error_stats(distances);
  const double percent = 100 / size_of(sequence.mesh.positions);
  report.figures.emplace_back("rest_pose_moved_max_percent", percent * moved.max);
  report.figures.emplace_back("rest_pose_moved_rms_percent", percent * moved.rms);
}

/// Reports what the limit on scaling costs: E_RMS with it minus E_RMS after a few iterations without.
void report_conditioning(const lbs::Problem& problem, const lbs::State& state, Report& report, const Run& run) {
  lbs::Problem free = problem;
  free.model.limit = lbs::widest_limit;
  lbs::State other = state;
  lbs::descend(free, other, 3, run);
  const double with = lbs::e_rms(state.error - state.springs, problem.points.count, problem.space.frames);
  report.figures.emplace_back(
      "conditioning_price_e_rms",
      with - lbs::e_rms(other.error - other.springs, problem.points.count, problem.space.frames));
}

/// The solver on all vertices, in coordinates that leave out at most `tolerance` E_RMS.
struct Stage {
  lbs::Space space;
  lbs::Points points;
  lbs::Problem problem;
  lbs::State state;

  Stage(const Sequence& sequence, const SearchGround& ground, double tolerance, const lbs::State& from,
        const DecomposeOptions& options, const Run& run)
      : space(fine_space(sequence, ground, std::max(least_tolerance, tolerance), run)),
        points(lbs::make_points(sequence, space, {}, run)),
        problem{space, points, ground.all_neighbours, ground.model, ground.influences},
        state(from.bones, problem) {
    problem.move_rest = options.rest_pose == RestPose::alternate;
    problem.rest_limit = ground.rest_limit;
    // With the same vertices, weights and rest pose carry over; only the error changes.
    if (from.rest.size() == points.rest.size()) state = from;
    state.axes = from.axes;
    state.error = lbs::State::unknown;
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  static lbs::Space fine_space(const Sequence& sequence, const SearchGround& ground, double tolerance, const Run& run) {
    return tolerance < ground.space.lost() ? lbs::make_space(sequence, tolerance, run) : ground.space.within(tolerance);
  }
  void use_springs(const Sequence& sequence, double strength, double e_rms_so_far, const Run& run) {
    problem.smoothness = lbs::make_smoothness(sequence, space, problem.neighbours, strength, e_rms_so_far, run);
  }
  double e_rms_now() const { return lbs::e_rms(state.error - state.springs, points.count, space.frames); }

  std::unique_ptr<Stage> with_more_coordinates(const Sequence& sequence, const SearchGround& ground,
                                               const DecomposeOptions& options, const Run& run) const {
    auto next = std::make_unique<Stage>(sequence, ground, fine_share * e_rms_now(), state, options, run);
    next->problem.model = problem.model;
    next->problem.smoothness = problem.smoothness;
    return next;
  }
};

/// Whether the last five iterations gained less than `least_gain` of the error in total.
bool settled(const std::vector<double>& curve, double least_gain) {
  constexpr std::size_t span = 5;
  if (curve.size() <= span) return false;
  return curve.back() > (1 - least_gain) * curve[curve.size() - 1 - span];
}

}  // namespace

double cost_of_refining(const SearchGround& ground, const Schedule& schedule) {
  const auto vertices = double(ground.all_neighbours.offsets.size() - 1);
  const double iterations = lbs::expected_iterations(schedule.all_points, schedule.least_gain);
  return iterations * vertices / double(ground.sample.count);
}

Rig refine_all(const Sequence& sequence, const SearchGround& ground, const lbs::State& found,
               const DecomposeOptions& options, const Schedule& schedule, Report& report, const Run& run) {
  Stopwatch watch(report);
  const double e_rms_so_far = ground.e_rms_of(found);
  const Run sure = options.keep_best ? unstoppable(run) : run;
  auto stage = std::make_unique<Stage>(sequence, ground, fine_share * e_rms_so_far, found, options, silent(sure));
  stage->use_springs(sequence, options.smooth, e_rms_so_far, sure);
  watch.lap("reduce all vertices");

  int iteration = 0;
  const auto iterate = [&](const Run& with) {
    lbs::descend(stage->problem, stage->state, 1, with);
    report.error_curve.push_back(stage->e_rms_now());
    ++iteration;
    run.report({.stage = "refining",
                .fraction = lbs::share_settled(report.error_curve, schedule.all_points, schedule.least_gain),
                .iteration = iteration,
                .error = report.error_curve.back(),
                .vertices = sequence.vertices()});
  };
  iterate(sure);
  if (options.kind == BoneKind::stretch) {
    choose_axes(stage->state);
    stage->problem.model.kind = BoneKind::stretch;
    stage->state.previous = stage->state.bones;
  }
  const int until_rest = options.rest_pose == RestPose::once ? std::max(1, schedule.all_points - iterations_after_rest)
                                                             : schedule.all_points;
  stoppable(options, report, [&] {
    while (iteration < until_rest && !settled(report.error_curve, schedule.least_gain)) {
      iterate(run);
      // The error left out by the coordinates must stay small against the error.
      if (stage->space.lost() > 3 * fine_share * stage->e_rms_now() && stage->space.lost() > least_tolerance) {
        stage = stage->with_more_coordinates(sequence, ground, options, silent(run));
      }
    }
    if (options.rest_pose != RestPose::once) return;
    lbs::Problem& problem = stage->problem;
    lbs::State& state = stage->state;
    lbs::solve_rest_pose(problem.space, problem.points, state.bones, state.weights, problem.rest_limit, state.rest,
                         run);
    state.reset();
    for (int round = 0; round < iterations_after_rest; ++round) iterate(run);
  });
  if (options.kind != BoneKind::rigid && options.conditioning > 0 && report.status == Status::done) {
    report_conditioning(stage->problem, stage->state, report, run);
  }
  // Solves the transforms again without the dropped weights: far bones move a vertex even by a small weight.
  lbs::drop_small(stage->points, stage->state.weights);
  const lbs::Normal normal = lbs::accumulate(stage->space, stage->points, stage->state.rest, stage->state.weights,
                                             lbs::bone_count(found.bones), sure);
  lbs::solve_transforms(stage->problem.model, stage->state.axes, normal, stage->state.bones, sure);
  const std::size_t idle = lbs::employ_idle_bones(stage->points, stage->state);
  if (idle > 0) {
    report.warnings.push_back(
        fmt::format("{} of {} bones were not needed; each shares a vertex with a bone that moves alike", idle,
                    lbs::bone_count(found.bones)));
  }
  Rig rig = lbs::to_rig(sequence, stage->space, stage->points.rest, stage->state);
  if (options.rest_pose != RestPose::keep) report_rest_pose(sequence, rig, report);
  watch.lap("refine");
  return rig;
}

}  // namespace marrow::decomposition
