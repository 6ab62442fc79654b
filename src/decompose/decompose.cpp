#include "marrow/decompose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "decompose/descent.hpp"
#include "decompose/initialise.hpp"
#include "decompose/relocate.hpp"
#include "decompose/rest_pose.hpp"
#include "decompose/to_rig.hpp"
#include "marrow/error.hpp"
#include "marrow/metrics.hpp"

namespace marrow {
namespace {

using namespace ssdr;

/// E_RMS that the reduced coordinates may lose while bones are searched for.
constexpr double coarse_tolerance = 0.2;
/// ... and at the end, as a share of the error, and not less than.
constexpr double fine_share = 0.1, least_tolerance = 1e-3;
/// Bones are placed, and searched for, on at most this many vertices.
constexpr std::size_t search_points = 4096;

struct Schedule {
  int before;      ///< iterations before the search, on the search points
  int tries;       ///< of the search
  int after;       ///< iterations after it, on the search points
  int all_points;  ///< iterations with every vertex
};

Schedule schedule(Effort effort) {
  switch (effort) {
    case Effort::fast:
      return {10, 0, 10, 10};
    case Effort::best:
      return {15, 120, 30, 30};
    case Effort::normal:
      break;
  }
  return {10, 12, 15, 12};
}

void check(const Sequence& sequence, const DecomposeOptions& options) {
  validate(sequence);
  if (sequence.vertices() == 0 || sequence.frames() == 0) {
    throw Error(ErrorCode::bad_input, "decompose", "the sequence has no vertices or no frames");
  }
  if (!(size_of(sequence.mesh.positions) > 0)) {
    throw Error(ErrorCode::bad_input, "decompose",
                "all vertices of the rest pose are in one place; give a rest pose with a size");
  }
  if (options.bones < 1 || options.bones > sequence.vertices()) {
    throw Error(ErrorCode::bad_request, "bones",
                fmt::format("{} bones were asked for; give 1 to {}, the number of vertices", options.bones,
                            sequence.vertices()));
  }
  if (options.influences < 1) {
    throw Error(ErrorCode::bad_request, "influences", "a vertex must follow at least 1 bone");
  }
}

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

/// Seconds of each stage, for the report.
class Stopwatch {
 public:
  explicit Stopwatch(Report& report) : report_(report) {}
  void lap(const char* stage) {
    const auto now = std::chrono::steady_clock::now();
    report_.timings.emplace_back(stage, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  Report& report_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

const char* name(Effort effort) {
  switch (effort) {
    case Effort::fast:
      return "fast";
    case Effort::best:
      return "best";
    case Effort::normal:
      break;
  }
  return "normal";
}

const char* name(BoneKind kind) {
  switch (kind) {
    case BoneKind::scale:
      return "scale";
    case BoneKind::stretch:
      return "stretch";
    case BoneKind::flexible:
      return "flexible";
    case BoneKind::rigid:
      break;
  }
  return "rigid";
}

const char* name(RestPose rest_pose) {
  switch (rest_pose) {
    case RestPose::once:
      return "once";
    case RestPose::alternate:
      return "alternate";
    case RestPose::keep:
      break;
  }
  return "keep";
}

std::vector<std::pair<std::string, Setting>> settings(const DecomposeOptions& options, std::size_t influences) {
  return {{"bones", static_cast<std::int64_t>(options.bones)},
          {"influences", static_cast<std::int64_t>(influences)},
          {"kind", std::string(name(options.kind))},
          {"conditioning", options.conditioning},
          {"rest_pose", std::string(name(options.rest_pose))},
          {"rest_limit", options.rest_limit},
          {"smooth", options.smooth},
          {"effort", std::string(name(options.effort))}};
}

double limit_in_radii(const Sequence& sequence, const Space& space, const DecomposeOptions& options) {
  return options.rest_limit * size_of(sequence.mesh.positions) / space.radius;
}

}  // namespace

Result<Rig> decompose(const Sequence& sequence, const DecomposeOptions& options, const Run& run) {
  check(sequence, options);
  const std::size_t influences = std::min(options.influences, options.bones);
  const Schedule plan = schedule(options.effort);
  Report report;
  report.settings = settings(options, influences);
  Stopwatch watch(report);

  const Space coarse = make_space(sequence, coarse_tolerance, run);
  const Neighbours all_neighbours = mesh_neighbours(sequence.mesh);
  const std::vector<std::uint32_t> subset = choose_subset(sequence.vertices());
  const Points sample = make_points(sequence, coarse, subset, run);
  const Neighbours neighbours = subset.empty() ? all_neighbours : subset_neighbours(all_neighbours, subset);
  watch.lap("reduce");

  Problem search{coarse, sample, neighbours, {options.kind, options.conditioning}, influences};
  // What a bone stretches along is chosen when its place is known.
  if (options.kind == BoneKind::stretch) search.model.kind = BoneKind::scale;
  State found(grow_bones(coarse, sample, neighbours, options.bones, run), search);
  watch.lap("place");
  descend(search, found, plan.before, run);
  relocate(search, found, plan.tries, run);
  search.move_rest = options.rest_pose == RestPose::alternate;
  search.rest_limit = limit_in_radii(sequence, coarse, options);
  descend(search, found, plan.after, run);
  watch.lap("search");

  const double tolerance = std::max(least_tolerance, fine_share * e_rms(found.error, sample.count, coarse.frames));
  std::optional<Space> fine;
  if (tolerance < coarse.dropped[coarse.dropped.size() - 1]) fine = make_space(sequence, tolerance, run);
  const Space& space = fine ? *fine : coarse;
  const Points points = make_points(sequence, space, {}, run);
  Problem problem{space, points, all_neighbours, {options.kind, options.conditioning}, influences};
  problem.smoothness = make_smoothness(sequence, space, all_neighbours, options.smooth, run);
  problem.move_rest = search.move_rest;
  problem.rest_limit = search.rest_limit;
  State state(std::move(found.bones), problem);
  watch.lap("reduce again");
  for (int k = 0; k < plan.all_points; ++k) {
    if (options.rest_pose == RestPose::once && k == plan.all_points - 4) {
      solve_rest_pose(space, points, state.bones, state.weights, problem.rest_limit, state.rest, run);
      state.reset();
    }
    descend(problem, state, 1, run);
    report.error_curve.push_back(e_rms(state.error, points.count, space.frames));
    run.report({.stage = "refining",
                .fraction = static_cast<double>(k + 1) / plan.all_points,
                .iteration = k + 1,
                .error = report.error_curve.back()});
  }
  const std::size_t idle = employ_idle_bones(points, state);
  if (idle > 0) {
    report.warnings.push_back(fmt::format(
        "{} of {} bones were not needed; each shares a vertex with a bone that moves alike", idle, options.bones));
  }
  watch.lap("refine");
  return {to_rig(sequence, space, points.rest, state), std::move(report)};
}

}  // namespace marrow
