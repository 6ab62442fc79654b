// Le & Deng 2012 (SSDR), Eq. (3) for weights alone and Eq. (5) for transforms alone, on all vertices.
// hold_out() solves the first frames and fits only the motion to the others: the error on frames that were not seen.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/stopwatch.hpp"
#include "decomposition/initialise.hpp"
#include "decomposition/options.hpp"
#include "lbs/best_weights.hpp"
#include "lbs/bones.hpp"
#include "lbs/linear_fit.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"
#include "lbs/transforms.hpp"
#include "marrow/error.hpp"
#include "marrow/metrics.hpp"
#include "marrow/stages.hpp"

namespace marrow {

using namespace decomposition;

namespace {

/// E_RMS that the reduced coordinates may leave out.
constexpr double tolerance = 0.01;
constexpr int most_sweeps = 60;
/// Stops when a sweep gains less than this share of the error.
constexpr double least_gain = 1e-5;

/// Weights of 1 for the strongest bone of every vertex.
lbs::SlotWeights strongest(const lbs::SlotWeights& weights) {
  lbs::SlotWeights one;
  one.resize(weights.used.size() / lbs::lanes, 1);
  for (std::size_t i = 0; i < weights.used.size(); ++i) {
    const double* values = weights.values.data() + i * weights.influences;
    const auto best = std::size_t(std::max_element(values, values + weights.influences) - values);
    one.bones[i] = weights.bones[i * weights.influences + best];
    one.values[i] = 1;
    one.used[i] = 1;
  }
  return one;
}

std::size_t bones_without_vertices(const Rig& rig) {
  std::vector<bool> moves(rig.bones());
  for (const std::uint32_t j : rig.weights.bones) moves[j] = true;
  return std::size_t(std::ranges::count(moves, false));
}

}  // namespace

Result<Rig> fit_weights(const Sequence& sequence, const Rig& rig, const DecomposeOptions& options, const Run& run) {
  validate(rig.skeleton);
  check(sequence, rig.motion);
  require(rig.motion.bones == rig.bones(), "rig",
          [&] { return fmt::format("motion of {} bones, but the skeleton has {}", rig.motion.bones, rig.bones()); });
  DecomposeOptions asked = options;
  asked.bones = rig.bones();
  check(sequence, asked);
  Report report;
  report.settings = settings_of(asked);
  Stopwatch watch(report);
  Rig result{sequence.mesh, rig.skeleton, lbs::best_weights(sequence, rig.motion, asked.influences, asked.smooth, run),
             rig.motion};
  report.figures.emplace_back("bones_without_vertices", double(bones_without_vertices(result)));
  watch.lap("fit weights");
  return {std::move(result), std::move(report)};
}

Result<Rig> fit_motion(const Sequence& sequence, const Rig& rig, const DecomposeOptions& options, const Run& run) {
  validate(rig);
  DecomposeOptions asked = options;
  asked.bones = rig.bones();
  asked.influences = std::max<std::size_t>(1, rig.weights.max_influences());
  check(sequence, asked);
  require(rig.vertices() == sequence.vertices(), "rig", [&] {
    return fmt::format("the rig has {} vertices, the sequence {}; they must be of the same mesh", rig.vertices(),
                       sequence.vertices());
  });
  Report report;
  report.settings = settings_of(asked);
  Stopwatch watch(report);
  Stages stages(run, {1, 4});
  const Run reducing = stages.next();
  const lbs::Space space = lbs::make_space(sequence, tolerance, reducing);
  const lbs::Points points = lbs::make_points(sequence, space, {}, reducing);
  const Run fitting = stages.next();
  std::vector<double> rest = points.rest;
  for (std::size_t i = 0; i < rig.vertices(); ++i) {
    const Vec3& p = rig.mesh.positions[i];
    const Eigen::Vector3d q = (Eigen::Vector3d(p.x, p.y, p.z) - space.rest_centre) / space.radius;
    for (std::size_t r = 0; r < 3; ++r) {
      rest[i / lbs::lanes * 3 * lbs::lanes + r * lbs::lanes + i % lbs::lanes] = q[Eigen::Index(r)];
    }
  }
  const lbs::SlotWeights weights = lbs::to_slots(rig.weights, points.blocks());
  const std::vector<Eigen::Matrix3d> axes = lbs::bind_axes(rig.skeleton);
  const lbs::BoneModel model = lbs::model_of(asked.kind, asked.conditioning);
  lbs::Bones bones = lbs::identity_bones(space.frames, rig.bones());
  // First guess: each bone alone, from the vertices that follow it most. Then all bones together.
  lbs::solve_transforms(lbs::BoneModel{}, axes,
                        lbs::accumulate(space, points, rest, strongest(weights), rig.bones(), run), bones, run);
  const lbs::Normal normal = lbs::accumulate(space, points, rest, weights, rig.bones(), run);
  double error = lbs::energy(normal, bones, run);
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    lbs::solve_transforms(model, axes, normal, bones, run);
    const double next = lbs::energy(normal, bones, run);
    report.error_curve.push_back(lbs::e_rms(next, points.count, space.frames));
    fitting.report({.stage = "fitting motion",
                    .fraction = double(sweep + 1) / most_sweeps,
                    .iteration = sweep + 1,
                    .error = report.error_curve.back(),
                    .vertices = points.count});
    if (next > error * (1 - least_gain)) break;
    error = next;
  }
  Rig result = rig;
  result.motion = lbs::to_motion(space, sequence.timeline, bones);
  stages.done();
  watch.lap("fit motion");
  return {std::move(result), std::move(report)};
}

Result<HeldOut> hold_out(const Sequence& sequence, double share, const DecomposeOptions& options, const Run& run) {
  if (!(share > 0 && share < 1)) throw Error(ErrorCode::bad_request, "holdout", "give a share between 0 and 1");
  if (sequence.frames() < 2) {
    throw Error(ErrorCode::bad_request, "holdout", "one frame cannot be split; holding out needs at least 2");
  }
  const std::size_t frames = sequence.frames();
  const auto wanted = std::size_t(std::lround(share * double(frames)));
  const std::size_t seen = std::clamp<std::size_t>(wanted, 1, frames - 1);
  const Sequence first = slice(sequence, 0, seen), second = slice(sequence, seen, frames - seen);
  Stages stages(run, {10, 1});
  Result<Rig> solved = decompose(first, options, stages.next());
  const Rig follows = fit_motion(second, solved.value, options, stages.next()).value;
  stages.done();
  HeldOut result{std::move(solved.value), seen, 0, 0};
  result.e_rms_seen = compare(first, result.rig, silent(run)).e_rms;
  result.e_rms_unseen = compare(second, follows, silent(run)).e_rms;
  result.rig.motion.timeline = sequence.timeline;
  result.rig.motion.transforms.insert(result.rig.motion.transforms.end(), follows.motion.transforms.begin(),
                                      follows.motion.transforms.end());
  Report& report = solved.report;
  report.settings.emplace_back("holdout", share);
  report.figures.emplace_back("seen_frames", double(seen));
  report.figures.emplace_back("e_rms_seen", result.e_rms_seen);
  report.figures.emplace_back("e_rms_unseen", result.e_rms_unseen);
  return {std::move(result), std::move(report)};
}

}  // namespace marrow
