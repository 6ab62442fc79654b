// Direct Delta Mush Skinning Compression with Continuous Examples (Le, Villeneuve and Gonzalez-Ochoa 2021), and the
// same two layers on the true error.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/stopwatch.hpp"
#include "ddm_compression/gauss_newton.hpp"
#include "ddm_compression/options.hpp"
#include "ddm_compression/paper_update.hpp"
#include "ddm_compression/reseed.hpp"

namespace marrow {
namespace {

using namespace layers;

constexpr double moving_share = 0.05;     // of the virtual bones, in the first half of the rounds
constexpr double smoothness_unit = 200;   // sizes are about 200 cm where the paper says 0.01
constexpr double largest_emphasis = 30;   // of a badly served point

InfluenceOptions influence_options(const DdmCompressionOptions& options, double error) {
  const double unit = options.smoothness / (smoothness_unit * smoothness_unit);
  return {.smoothness = options.method == DdmCompressionMethod::refined ? 0 : unit,
          .price = options.sparsity * options.sparsity * error};
}

/// Points count more where they are served worse than the others.
std::vector<double> emphasis(const Points& points, const Fit& fit, double power) {
  std::vector<double> mass(points.mass);
  const double mean = mean_error(points, fit);
  if (!(mean > 0) || !(power > 0)) return mass;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    mass[i] *= std::min(std::pow((fit.errors[i] + mean) / (2 * mean), power), largest_emphasis);
  }
  return mass;
}

void note(Report& report, const Points& points, const Fit& fit, int iteration, int iterations, const Run& run) {
  const double error = std::sqrt(mean_error(points, fit)) * points.size;
  report.error_curve.push_back(error);
  run.report({.stage = "compressing",
              .fraction = static_cast<double>(iteration) / iterations,
              .iteration = iteration,
              .error = error});
}

Fit fit_refined(const Points& points, const PoseExamples& examples, const DdmCompressionOptions& options,
                Report& report, Stopwatch& watch, const Run& run) {
  Fit fit = start(points, examples, options.virtual_bones, options.influences, run);
  watch.lap("start");
  for (VirtualBone& bone : fit.bones) drop_small(bone, 1e-3, 12);
  for (VirtualBone& bone : fit.bones) round_off(bone, 2 * least_spread);
  update_transforms(examples, fit, run);
  Damping damping;
  update_influences(points, examples, {}, fit, run);
  note(report, points, fit, 0, options.iterations, run);
  for (int it = 1; it <= options.iterations; ++it) {
    refine_bones(points, examples, emphasis(points, fit, options.worst), 1, damping, fit, run);
    if (2 * it <= options.iterations) {
      reseed(points, examples, moving_share, damping.values, fit, run);
    }
    update_influences(points, examples, influence_options(options, mean_error(points, fit)), fit, run);
    note(report, points, fit, it, options.iterations, run);
  }
  watch.lap("refine");
  return fit;
}

Fit fit_linear(const Points& points, const LinearExamples& examples, const DdmCompressionOptions& options,
               Report& report, Stopwatch& watch, const Run& run) {
  Fit fit = start(points, examples, options.virtual_bones, options.influences, run);
  watch.lap("start");
  std::vector<double> unused(fit.bone_count());
  update_influences(points, examples, influence_options(options, 0), fit, run);
  note(report, points, fit, 0, options.iterations, run);
  for (int it = 1; it <= options.iterations; ++it) {
    if (options.method == DdmCompressionMethod::paper) update_multi_weights(points, examples, fit, run);
    reseed_unused(points, examples, fit, run);
    update_influences(points, examples, influence_options(options, mean_error(points, fit)), fit, run);
    note(report, points, fit, it, options.iterations, run);
  }
  watch.lap("alternate");
  return fit;
}

/// Leaves out virtual bones that nothing follows, and rounds to floats.
CompressedDdm to_model(const DdmRig& ddm, const Points& points, const Fit& fit) {
  std::vector<std::uint32_t> index(fit.bone_count(), 0);
  for (std::size_t i = 0; i < points.count(); ++i) {
    for (const Influence& a : fit.row(i)) {
      if (static_cast<float>(a.weight) > 0) index[a.bone] = 1;
    }
  }
  std::vector<VirtualBone> bones;
  for (std::size_t k = 0; k < index.size(); ++k) {
    if (index[k] == 0) continue;
    index[k] = static_cast<std::uint32_t>(bones.size());
    bones.push_back(fit.bones[k]);
  }
  CompressedDdm model{ddm.rig, {}, {}, {{0}, {}, {}}};
  store(points, bones, model.centres, model.virtual_bones);
  for (const std::uint32_t i : points.point_of) {
    double sum = 0;
    for (const Influence& a : fit.row(i)) sum += a.weight;
    for (const Influence& a : fit.row(i)) {
      const auto weight = static_cast<float>(a.weight / sum);
      if (!(weight > 0)) continue;
      model.weights.bones.push_back(index[a.bone]);
      model.weights.values.push_back(weight);
    }
    model.weights.offsets.push_back(static_cast<std::uint32_t>(model.weights.bones.size()));
  }
  return model;
}

}  // namespace

Result<CompressedDdm> compress(const DdmRig& ddm, const DdmCompressionOptions& options, const RangesOfMotion& ranges,
                               const Run& run) {
  check(ddm, options, ranges);
  Report report;
  report.settings = settings(options);
  Stopwatch watch(report);
  const Points points = distinct_points(ddm, options.area_weights);
  Fit fit;
  if (options.method == DdmCompressionMethod::refined) {
    const PoseExamples examples(points, sample_poses(ddm.rig.skeleton, ranges, options.poses, run.seed), run);
    watch.lap("examples");
    fit = fit_refined(points, examples, options, report, watch, run);
  } else {
    const LinearExamples examples(points, ddm.rig.skeleton, ranges, options.examples, run);
    watch.lap("examples");
    fit = fit_linear(points, examples, options, report, watch, run);
  }
  CompressedDdm model = to_model(ddm, points, fit);
  const auto p = static_cast<double>(model.virtual_bone_count());
  report.figures.emplace_back("points", static_cast<double>(points.count()));
  report.figures.emplace_back("virtual bones", p);
  report.figures.emplace_back("multi-weights per virtual bone", static_cast<double>(model.virtual_bones.bones.size()) / p);
  report.figures.emplace_back("weights per vertex", static_cast<double>(model.weights.bones.size()) /
                                                        static_cast<double>(model.vertices()));
  report.figures.emplace_back("bytes", static_cast<double>(storage(model)));
  return {std::move(model), std::move(report)};
}

}  // namespace marrow
