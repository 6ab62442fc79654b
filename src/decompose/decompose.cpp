#include "marrow/decompose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "decompose/descent.hpp"
#include "decompose/initialise.hpp"
#include "decompose/relocate.hpp"
#include "decompose/to_rig.hpp"
#include "marrow/error.hpp"
#include "marrow/metrics.hpp"

namespace marrow {
namespace {

using namespace ssdr;

/// E_RMS that the reduced coordinates may lose.
constexpr double tolerance = 0.2;
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

}  // namespace

Result<Rig> decompose(const Sequence& sequence, const DecomposeOptions& options, const Run& run) {
  check(sequence, options);
  const std::size_t influences = std::min(options.influences, options.bones);
  const Schedule plan = schedule(options.effort);
  Report report;
  report.settings = {{"bones", static_cast<std::int64_t>(options.bones)},
                     {"influences", static_cast<std::int64_t>(influences)},
                     {"kind", std::string("rigid")},
                     {"rest_pose", std::string("keep")},
                     {"effort", std::string(name(options.effort))}};
  Stopwatch watch(report);

  const Space space = make_space(sequence, tolerance, run);
  const Points points = make_points(sequence, space, {}, run);
  const Neighbours all_neighbours = mesh_neighbours(sequence.mesh);
  watch.lap("reduce");

  const std::vector<std::uint32_t> subset = choose_subset(points.count);
  const Points sample = subset.empty() ? points : make_points(sequence, space, subset, run);
  const Neighbours neighbours = subset.empty() ? all_neighbours : subset_neighbours(all_neighbours, subset);
  State search(grow_bones(space, sample, neighbours, options.bones, run), sample.blocks(), influences);
  watch.lap("place");
  descend(space, sample, search, plan.before, run);
  relocate(space, sample, neighbours, search, plan.tries, run);
  descend(space, sample, search, plan.after, run);
  watch.lap("search");

  State state(std::move(search.bones), points.blocks(), influences);
  for (int k = 0; k < plan.all_points; ++k) {
    descend(space, points, state, 1, run);
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
  return {to_rig(sequence, space, state), std::move(report)};
}

}  // namespace marrow
