#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/stopwatch.hpp"
#include "decomposition/search_bones.hpp"
#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/points.hpp"
#include "lbs/smoothness.hpp"
#include "lbs/space.hpp"
#include "lbs/to_rig.hpp"
#include "lbs/transforms.hpp"
#include "lbs/weight_solve.hpp"
#include "marrow/error.hpp"
#include "marrow/metrics.hpp"
#include "marrow/skeleton.hpp"
#include "marrow/stages.hpp"
#include "skeleton/assemble.hpp"
#include "skeleton/find_skeleton.hpp"
#include "skeleton/given_tree.hpp"
#include "skeleton/noise.hpp"
#include "skeleton/options.hpp"
#include "skeleton/sharpen.hpp"

namespace marrow {

using namespace skeleton;

namespace {

/// E_RMS that the reduced coordinates may leave out: as a share of the error, but at least `least_tolerance`.
constexpr double space_share = 0.1, least_tolerance = 1e-3;
/// Iterations that start from whole weights, on all vertices.
constexpr int steps_of_last_sharpening = 40;

/// Options and the given tree, by the solver's index.
struct Request {
  const SkeletonOptions& options;
  GivenParents parents;
  std::vector<std::string> names;  ///< empty: generate them
};

/// E_RMS on the sample, of the free bones and of the current result. Smoothing of weights is scaled by the first, as
/// decompose does for the same frames; the tolerance of coordinates by the second.
struct ErrorsSoFar {
  double free, now;
};

/// All vertices in fine coordinates.
struct AllPoints {
  lbs::Space space;
  lbs::Points points;
  lbs::Problem problem;

  AllPoints(const Sequence& sequence, const decomposition::SearchGround& ground, ErrorsSoFar e_rms,
            const SkeletonOptions& options, const Run& run)
      : space(lbs::make_space(sequence, std::max(least_tolerance, space_share * e_rms.now), run)),
        points(lbs::make_points(sequence, space, {}, silent(run))),
        problem{space, points, ground.all_neighbours, {}, ground.influences} {
    if (ground.space.noise > 0) space.noise = measure_noise(ground.all_neighbours, points).variance;
    problem.smoothness =
        lbs::make_smoothness(sequence, space, ground.all_neighbours, options.smooth, error_of_weights(e_rms.free), run);
  }
  AllPoints(const AllPoints&) = delete;
  AllPoints& operator=(const AllPoints&) = delete;

  /// The error that scales the smoothing. Of noise it contains only what the weights of a vertex can fit: influences -
  /// 1 coordinates.
  double error_of_weights(double e_rms) const {
    const double noise = noise_left(space, points);
    if (noise == 0 || e_rms == 0) return e_rms;
    const double share = double(problem.influences - 1) / double(points.rank);
    return std::sqrt(std::max(0.0, e_rms * e_rms - noise * noise) + std::min(1.0, share) * noise * noise);
  }

  /// Solves weights of all vertices for given bones.
  lbs::State with_weights(const lbs::Bones& bones, const Run& run) const {
    lbs::State state(bones, problem);
    lbs::solve_weights({space, points, points.rest, bones}, {}, lbs::Choice::all_bones, state.weights, run);
    state.normal = lbs::accumulate(space, points, points.rest, state.weights, lbs::bone_count(bones), run);
    return state;
  }
};

/// Makes the rig; warns about bones without vertices.
Rig finish(const Sequence& sequence, const AllPoints& all, const Found& found, const Request& request, Report& report) {
  Rig rig = assemble(sequence, all.space, found, request.names, request.options.ends);
  std::vector<bool> moves(found.tree.bones(), false);
  for (const std::uint32_t j : rig.weights.bones) moves[j] = true;
  if (const auto idle = std::ranges::count(moves, false); idle > 0) {
    report.warnings.push_back(fmt::format("{} of {} bones move no vertices; ask for fewer", idle, moves.size()));
  }
  return rig;
}

/// Solves all vertices under hard joints. Single-pass methods only get weights: rotations stay as found, and errors
/// accumulate along chains.
Rig fit_hard(const Sequence& sequence, const AllPoints& all, const Jointed& found, const Request& request,
             Report& report, const Run& run) {
  const SkeletonOptions& options = request.options;
  const Schedule schedule = skeleton::schedule(options.effort);
  const bool multi = options.method == SkeletonMethod::multi;
  const int steps = multi ? hard_steps : 0;
  Jointed jointed = make_hard(all.problem, found.tree, all.with_weights(found.bones, run), steps, run);
  if (multi) {
    // With noise all relative gains are small: run all iterations.
    const double least_gain = all.space.noise > 0 ? go_on : schedule.least_gain;
    settle_hard(all.problem, jointed, schedule.hard, least_gain, report.error_curve, run);
    if (all.space.noise > 0) sharpen(all.problem, schedule.sharpen, steps_of_last_sharpening, jointed, run);
  }
  lbs::drop_small(all.points, jointed.weights);
  jointed.normal = lbs::accumulate(all.space, all.points, all.points.rest, jointed.weights, jointed.tree.bones(), run);
  if (!request.parents) jointed.tree = hang_again(jointed.tree, jointed.normal);
  solve_hard_motion(jointed.tree, jointed.normal, steps, jointed.bones, run);
  return finish(sequence, all, {jointed.tree, jointed.bones, jointed.weights}, request, report);
}

/// Solves all vertices with free translations: the hierarchy has no hard joints.
Rig fit_free(const Sequence& sequence, const AllPoints& all, const lbs::State& found, const Request& request,
             Report& report, const Run& run) {
  const int iterations = schedule(request.options.effort).hard;
  lbs::State state = all.with_weights(found.bones, run);
  for (int round = 0; round < iterations; ++round) {
    lbs::descend(all.problem, state, 1, run);
    report.error_curve.push_back(lbs::e_rms(state.error - state.springs, all.points.count, all.space.frames));
    run.report(lbs::progress_of("fitting the skeleton", round + 1, iterations, all.problem, state));
  }
  lbs::drop_small(all.points, state.weights);
  const std::size_t bones = lbs::bone_count(state.bones);
  const lbs::Normal normal = lbs::accumulate(all.space, all.points, state.rest, state.weights, bones, run);
  lbs::solve_transforms(all.problem.model, state.axes, normal, state.bones, run);
  const Tree tree = choose_tree(request.parents, state.bones, normal, Pull::overlap, run);
  return finish(sequence, all, {tree, state.bones, state.weights}, request, report);
}

/// Keeps all coordinates: the motion of a small part may be below the noise of the others.
decomposition::SearchGround ground_with_noise(const Sequence& sequence, const DecomposeOptions& options,
                                              const Run& run) {
  decomposition::SearchGround ground = decomposition::make_ground(sequence, options, run);
  ground.space.noise = measure_noise(ground.neighbours, ground.sample).variance;
  return ground;
}

/// Without the noisy coordinates, which free bones would fit.
decomposition::SearchGround without_noise(decomposition::SearchGround ground) {
  drop_noise(ground.neighbours, ground.space, ground.sample);
  return ground;
}

/// Bones found without noise, with weights solved in all coordinates.
lbs::State with_noise(const decomposition::SearchGround& ground, lbs::State state, const Run& run) {
  if (ground.space.noise == 0) return state;
  const lbs::Problem problem = ground.problem(ground.sample);
  lbs::State next(std::move(state.bones), problem);
  lbs::descend(problem, next, 1, run);
  return next;
}

/// Free bones to start from. The first start has the requested number. With noise, bones with few vertices are easily
/// missed: further starts have half as many more each, and surplus bones are pruned under hard joints.
std::vector<lbs::State> search_starts(const decomposition::SearchGround& ground,
                                      const decomposition::SearchGround& quiet, const SkeletonOptions& options,
                                      DecomposeOptions free, Report& report, const Run& run) {
  Stages stages(run);
  const std::size_t count = ground.space.noise > 0 && options.bones > 0 ? schedule(options.effort).starts : 1;
  const std::size_t asked = free.bones;
  std::vector<lbs::State> starts;
  for (std::size_t e = 0; e < count; ++e) {
    free.bones = std::min(quiet.sample.count, asked + e * asked / 2);
    const Run searching = stages.next(1, double(count - e - 1));
    lbs::State state =
        decomposition::search_bones(quiet, free, decomposition::schedule(options.effort), report, searching);
    starts.push_back(with_noise(ground, std::move(state), run));
  }
  return starts;
}

/// For the estimate of progress: what those searches take. Without noise there is one; whether there is noise is not
/// known yet.
double cost_of_free_bones(const SkeletonOptions& options, const DecomposeOptions& free, const Run& run) {
  if (options.method != SkeletonMethod::multi) return 0;
  return decomposition::cost_of_search(free, decomposition::schedule(options.effort), run);
}

/// The cheapest skeleton over all starts.
Jointed find_cheapest(const decomposition::SearchGround& ground, std::vector<lbs::State> starts, const Request& request,
                      const Run& run) {
  Stages stages(run, std::vector<double>(starts.size(), 1));
  Jointed best = find_skeleton(ground, std::move(starts[0]), request.parents, request.options, stages.next());
  for (std::size_t e = 1; e < starts.size(); ++e) {
    Jointed other = find_skeleton(ground, std::move(starts[e]), request.parents, request.options, stages.next());
    if (other.cost < best.cost) best = std::move(other);
  }
  return best;
}

/// For the estimate of progress, in iterations of free bones on the search points: from the starts to a skeleton there,
/// and from that to all vertices.
double cost_of_search(const std::vector<lbs::State>& starts, const SkeletonOptions& options) {
  double cost = options.free_translation ? 0 : 1;  // clusters of single-pass methods
  if (options.free_translation) return cost;
  for (const lbs::State& start : starts) cost += cost_of_finding(options, lbs::bone_count(start.bones));
  return cost;
}

double cost_of_fit(const decomposition::SearchGround& ground, const SkeletonOptions& options) {
  constexpr double iteration = 0.6;
  const Schedule schedule = skeleton::schedule(options.effort);
  const auto vertices = double(ground.all_neighbours.offsets.size() - 1);
  const double iterations =
      options.method != SkeletonMethod::multi ? 1 : lbs::expected_iterations(schedule.hard, schedule.least_gain);
  return iterations * iteration * vertices / double(ground.sample.count);
}

/// From free bones on the sample to the rig.
Rig solve(const Sequence& sequence, const decomposition::SearchGround& ground, std::vector<lbs::State> starts,
          const Request& request, Report& report, const Run& run) {
  Stopwatch watch(report);
  Stages stages(run, {cost_of_search(starts, request.options), cost_of_fit(ground, request.options)});
  const bool multi = request.options.method == SkeletonMethod::multi;
  const double free = multi ? ground.e_rms_of(starts[0]) : 0;
  if (request.options.free_translation) {
    const AllPoints all(sequence, ground, {free, free}, request.options, run);
    Rig rig = fit_free(sequence, all, starts[0], request, report, stages.next(1, 0));
    stages.done();
    watch.lap("fit skeleton");
    return rig;
  }
  const Run finding = stages.next();
  const Jointed found = multi ? find_cheapest(ground, std::move(starts), request, finding)
                              : single_pass(ground, request.options, finding);
  watch.lap("find skeleton");
  const double now = lbs::e_rms(found.data, ground.sample.count, ground.space.frames);
  const AllPoints all(sequence, ground, {free, now}, request.options, run);
  Rig rig = fit_hard(sequence, all, found, request, report, stages.next());
  stages.done();
  watch.lap("fit skeleton");
  return rig;
}

}  // namespace

Result<Rig> extract_skeleton(const Sequence& sequence, const SkeletonOptions& options, const Run& run) {
  check(sequence, options);
  Report report;
  report.settings = settings_of(options);
  Stopwatch watch(report);
  const DecomposeOptions free = free_bones(options, starting_bones(sequence, options));
  Stages stages(run);
  const double search = options.tree ? 4 : cost_of_free_bones(options, free, run);
  const double rest = options.free_translation ? schedule(options.effort).hard : cost_of_finding(options, free.bones);
  const Run preparing = stages.next(decomposition::cost_of_ground, search + rest);
  const decomposition::SearchGround ground = ground_with_noise(sequence, free, preparing),
                                    quiet = without_noise(ground);
  const Run searching = stages.next(search, rest + cost_of_fit(ground, options));
  const lbs::Problem problem = quiet.problem(quiet.sample);
  Request request{options, {}, {}};
  const bool multi = options.method == SkeletonMethod::multi;
  std::vector<lbs::State> starts;
  if (options.tree) {
    const std::vector<std::uint32_t> labels = nearest_bones(quiet, *options.tree);
    lbs::State state = bones_of(problem, labels, options.tree->bones.size(), run);
    lbs::descend(problem, state, 4, searching, "settling bones");
    starts.push_back(with_noise(ground, std::move(state), run));
    request.parents = parents_of(*options.tree);
    request.names = names_of(*options.tree);
  } else if (multi) {
    starts = search_starts(ground, quiet, options, free, report, searching);
  }
  watch.lap("free bones");
  Rig rig = solve(sequence, multi ? ground : quiet, std::move(starts), request, report, stages.next(1, 0));
  stages.done();
  return {std::move(rig), std::move(report)};
}

Result<Rig> extract_skeleton(const Sequence& sequence, const Rig& rig, const SkeletonOptions& options, const Run& run) {
  SkeletonOptions asked = options;
  asked.method = SkeletonMethod::multi;
  if (asked.bones != 0) asked.bones = rig.bones();
  asked.most_bones = rig.bones();
  check(sequence, rig, asked);
  if (sequence.mesh.positions != rig.mesh.positions) {
    // Bones are relative to the rig's rest pose.
    Sequence moved = sequence;
    moved.mesh.positions = rig.mesh.positions;
    return extract_skeleton(moved, rig, options, run);
  }
  Report report;
  report.settings = settings_of(asked);
  Stages stages(run);
  const decomposition::SearchGround ground =
      ground_with_noise(sequence, free_bones(asked, rig.bones()),
                        stages.next(decomposition::cost_of_ground, cost_of_finding(asked, rig.bones())));
  const lbs::Problem problem = ground.problem(ground.sample);
  lbs::State state(lbs::to_bones(ground.space, rig.motion), problem);
  lbs::descend(problem, state, 2, run);
  Request request{asked, {}, {}};
  if (asked.tree) {
    request.parents = parents_in(*asked.tree, rig.skeleton);
    request.names = rig.skeleton.names;
  }
  Rig result = solve(sequence, ground, {std::move(state)}, request, report, stages.next(1, 0));
  stages.done();
  return {std::move(result), std::move(report)};
}

}  // namespace marrow
