// Le et al. 2021, Algorithm 1: start, then weights and multi-weights in turn (`paper`, `scalar_only`).
// `refined` (ours): the same alternation on the true error in sampled poses, with Gauss-Newton for the multi-weights.
#include "ddm_compression/solve.hpp"

#include <algorithm>
#include <cmath>

#include "core/rows.hpp"
#include "ddm_compression/continuous.hpp"
#include "ddm_compression/gauss_newton.hpp"
#include "ddm_compression/influences.hpp"
#include "ddm_compression/paper_update.hpp"
#include "ddm_compression/pose_examples.hpp"
#include "ddm_compression/reseed.hpp"
#include "ddm_compression/start_fit.hpp"
#include "marrow/metrics.hpp"
#include "marrow/stages.hpp"

namespace marrow::ddm_compression {
namespace {

constexpr double moving_share = 0.05;    // share of virtual bones moved per round, in the first half
constexpr double smoothness_unit = 200;  // models of the paper are about 200 cm where it sets the smoothness to 0.01
constexpr double largest_emphasis = 30;  // largest factor of a point's mass
constexpr double converged = 1e-5;       // relative change of the objective, as in the paper
constexpr int patience = 5;
constexpr double share_of_start = 0.08;  // of the time of all rounds, for the estimate of progress

/// Masses that grow with the points' errors.
std::vector<double> emphasis(const DistinctPoints& points, const Fit& fit, double power) {
  std::vector<double> mass(points.mass);
  const double mean = mean_error(points, fit);
  if (!(mean > 0) || !(power > 0)) return mass;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    mass[i] *= std::min(std::pow((fit.errors[i] + mean) / (2 * mean), power), largest_emphasis);
  }
  return mass;
}

bool has_settled(const std::vector<double>& curve) {
  if (curve.size() <= patience) return false;
  const double last = curve.back();
  return std::all_of(curve.end() - patience - 1, curve.end(),
                     [&](double e) { return std::abs(e * e - last * last) <= converged * last * last; });
}

/// Drops virtual bones without points; rounds to floats.
CompressedDdm to_model(const DdmRig& ddm, const DistinctPoints& points, const Fit& fit) {
  std::vector<std::uint32_t> index(fit.bone_count(), 0);
  for (std::size_t i = 0; i < points.count(); ++i) {
    for (const Influence& a : fit.row(i)) {
      if (float(a.weight) > 0) index[a.bone] = 1;
    }
  }
  std::vector<VirtualBone> bones;
  for (std::size_t k = 0; k < index.size(); ++k) {
    if (index[k] == 0) continue;
    index[k] = std::uint32_t(bones.size());
    bones.push_back(fit.bones[k]);
  }
  CompressedDdm model{ddm.rig, {}, {}, {{0}, {}, {}}};
  store_bones(points, bones, model.centres, model.virtual_bones);
  for (const std::uint32_t i : points.point_of) {
    double sum = 0;
    for (const Influence& a : fit.row(i)) sum += a.weight;
    for (const Influence& a : fit.row(i)) {
      const auto weight = float(a.weight / sum);
      if (!(weight > 0)) continue;
      model.weights.bones.push_back(index[a.bone]);
      model.weights.values.push_back(weight);
    }
    close_row(std::span(model.weights.values).subspan(model.weights.offsets.back()));
    model.weights.offsets.push_back(std::uint32_t(model.weights.bones.size()));
  }
  return model;
}

}  // namespace

Solver::Solver(const DdmRig& ddm, const DdmCompressionOptions& options, const RangesOfMotion& ranges, const Run& run)
    : ddm_(ddm), options_(options), points_(distinct_points(ddm, options.area_weights)) {
  const double radius = smallest_enclosing_ball(ddm.rig.mesh.positions).radius;
  e_rms_per_distance_ = radius > 0 ? 1000 / (std::sqrt(3.0) * radius) : 0;
  if (options.method == DdmCompressionMethod::refined) {
    const Motion poses = sample_poses(ddm.rig.skeleton, ranges, options.poses, run.seed);
    sampled_ = std::make_unique<PoseExamples>(points_, poses, run);
  } else {
    linear_ = std::make_unique<LinearExamples>(points_, ddm.rig.skeleton, ranges, options.examples, run);
  }
}

void Solver::note(const Fit& fit, int iteration, Report& report, const Run& run) const {
  const double error = std::sqrt(mean_error(points_, fit)) * points_.size;
  report.error_curve.push_back(error);
  run.report({.stage = "compressing",
              .fraction = double(iteration) / options_.iterations,
              .iteration = iteration,
              .error = e_rms_per_distance_ * error});
}

InfluenceOptions Solver::influence_options(double error) const {
  return {.smoothness = linear_ ? options_.smoothness / (smoothness_unit * smoothness_unit) : 0,
          .price = options_.sparsity * options_.sparsity * error};
}

Fit Solver::fit_refined(std::size_t bones, Report& report, Stopwatch& watch, const Run& run) const {
  Stages stages(run, {share_of_start, 1});
  Fit fit = start_fit(points_, *sampled_, bones, options_.influences, stages.next());
  const Run refining = stages.next();
  for (VirtualBone& bone : fit.bones) trim(bone);
  update_transforms(*sampled_, fit, run);
  watch.lap("start");
  Damping damping;
  update_influences(points_, *sampled_, {}, fit, run);
  note(fit, 0, report, refining);
  for (int it = 1; it <= options_.iterations; ++it) {
    refine_bones(points_, *sampled_, emphasis(points_, fit, options_.worst), damping, fit, run);
    if (2 * it <= options_.iterations) reseed(points_, *sampled_, moving_share, damping.values, fit, run);
    update_influences(points_, *sampled_, influence_options(mean_error(points_, fit)), fit, run);
    note(fit, it, report, refining);
  }
  stages.done();
  watch.lap("refine");
  return fit;
}

Fit Solver::fit_linear(std::size_t bones, Report& report, Stopwatch& watch, const Run& run) const {
  Stages stages(run, {share_of_start, 1});
  Fit fit = start_fit(points_, *linear_, bones, options_.influences, stages.next());
  const Run refining = stages.next();
  watch.lap("start");
  update_influences(points_, *linear_, influence_options(0), fit, run);
  note(fit, 0, report, refining);
  for (int it = 1; it <= options_.iterations && !has_settled(report.error_curve); ++it) {
    if (options_.method == DdmCompressionMethod::paper) update_multi_weights(points_, *linear_, fit, run);
    reseed_unused(points_, *linear_, fit, run);
    update_influences(points_, *linear_, influence_options(mean_error(points_, fit)), fit, run);
    note(fit, it, report, refining);
  }
  stages.done();
  watch.lap("alternate");
  return fit;
}

CompressedDdm Solver::solve(std::size_t virtual_bones, Report& report, Stopwatch& watch, const Run& run) const {
  report.error_curve.clear();
  const Fit fit =
      sampled_ ? fit_refined(virtual_bones, report, watch, run) : fit_linear(virtual_bones, report, watch, run);
  return to_model(ddm_, points_, fit);
}

}  // namespace marrow::ddm_compression
