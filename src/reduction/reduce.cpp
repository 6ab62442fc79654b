#include "marrow/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/stopwatch.hpp"
#include "lbs/pose_problem.hpp"
#include "lbs/slot_weights.hpp"
#include "marrow/error.hpp"
#include "marrow/stages.hpp"
#include "reduction/fairness.hpp"
#include "reduction/fits.hpp"
#include "reduction/options.hpp"

namespace marrow {

using namespace reduction;

namespace {

/// Where a rig has no clips that say anything.
constexpr std::size_t default_sample = 100;

void check_inputs(const Rig& rig, const ReduceOptions& options, const Sequence* target) {
  validate(rig);
  check_ranges(options);
  require(rig.vertices() > 0, "reduce", [] { return std::string("the rig has no vertices"); });
  if (target == nullptr) return;
  if (options.sample > 0) {
    throw Error(ErrorCode::bad_request, "sample",
                "a target says what the mesh does in the rig's own frames; leave one of them out");
  }
  validate(*target);
  require(target->vertices() == rig.vertices() && target->frames() == rig.frames() && rig.frames() > 0, "target", [&] {
    return fmt::format(
        "the target has {} vertices and {} frames, the rig {} and {}; give the frames that the rig's own motion is for",
        target->vertices(), target->frames(), rig.vertices(), rig.frames());
  });
}

bool needs_poses(ReduceMethod method) {
  return method != ReduceMethod::klargest && method != ReduceMethod::smooth;
}

void warn_without_faces(const ReduceOptions& options, const Neighbours& neighbours, Report& report) {
  const bool keeps_laplacian = options.method == ReduceMethod::smooth || options.method == ReduceMethod::poisson;
  if (!keeps_laplacian || !neighbours.indices.empty()) return;
  report.warnings.push_back(no_faces_warning);
}

lbs::SlotWeights solve(const Rig& rig, const ReduceOptions& options, const Sequence* target, Report& report,
                       const Run& run) {
  const std::size_t influences = std::min(options.influences, rig.bones());
  const Neighbours neighbours = mesh_neighbours(rig.mesh);
  warn_without_faces(options, neighbours, report);
  Stopwatch watch(report);
  Stages stages(run, {1, 5, options.method == ReduceMethod::poisson ? 1.5 : 0});
  Run now = stages.next();
  if (!needs_poses(options.method)) {
    lbs::SlotWeights slots = k_largest(rig.weights, influences);
    if (options.method == ReduceMethod::smooth) {
      const int rounds = smooth_weights(rig.weights, rig.bones(), neighbours, slots, stages.next(1, 0));
      report.figures.emplace_back("rounds", rounds);
    }
    stages.done();
    watch.lap("weights");
    return slots;
  }
  const Motion poses = target != nullptr ? rig.motion : reduction_poses(rig, options, run);
  report.figures.emplace_back("poses", double(poses.frames()));
  const lbs::PoseProblem problem(rig, poses, target, now);
  watch.lap("poses");
  now.report({.stage = "summing up poses", .fraction = 1});
  now = stages.next();
  lbs::SlotWeights slots = options.method == ReduceMethod::best_fit
                               ? fit_best(problem, rig.weights, influences, target == nullptr, now)
                               : fit_geometry(problem, rig.weights, influences, now);
  if (options.method == ReduceMethod::poisson) {
    report.figures.emplace_back("rounds", fit_poisson(problem, neighbours, slots, stages.next()));
  }
  stages.done();
  watch.lap("weights");
  return slots;
}

}  // namespace

bool tells_bones_apart(const Motion& motion) {
  constexpr double rounding = 1e-6;
  for (std::size_t t = 0; t < motion.frames(); ++t) {
    const auto frame = motion.frame(t);
    for (const Affine& m : frame) {
      for (std::size_t c = 0; c < m.m.size(); ++c) {
        const double first = frame[0].m[c];
        if (std::abs(m.m[c] - first) > rounding * std::max(1.0, std::abs(first))) return true;
      }
    }
  }
  return false;
}

Motion reduction_poses(const Rig& rig, const ReduceOptions& options, const Run& run) {
  if (options.sample == 0 && tells_bones_apart(rig.motion)) {
    if (options.ranges) {
      throw Error(ErrorCode::bad_request, "ranges", "the rig's own clips are used; ask for sampled poses, or none");
    }
    return rig.motion;
  }
  const std::size_t count = options.sample > 0 ? options.sample : default_sample;
  return sample_poses(rig.skeleton, options.ranges ? *options.ranges : default_ranges(rig.skeleton), count, run.seed);
}

Result<Rig> reduce(const Rig& rig, const ReduceOptions& options, const Sequence* target, const Run& run) {
  check_inputs(rig, options, target);
  Report report;
  report.settings = settings_of(options);
  const bool enough = rig.weights.max_influences() <= options.influences;
  if (enough && (target == nullptr || !needs_poses(options.method))) return {rig, std::move(report)};
  const lbs::SlotWeights slots = solve(rig, options, target, report, run);
  Rig result{rig.mesh, rig.skeleton, rounded_weights(slots, rig.vertices()), rig.motion};
  return {std::move(result), std::move(report)};
}

}  // namespace marrow
