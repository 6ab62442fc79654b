// Direct Delta Mush Skinning Compression with Continuous Examples (Le, Villeneuve and Gonzalez-Ochoa 2021), and the
// same two layers on the true error: one run, or the search for a number of virtual bones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "ddm_compression/continuous.hpp"
#include "ddm_compression/options.hpp"
#include "ddm_compression/solve.hpp"
#include "marrow/error.hpp"
#include "marrow/metrics.hpp"
#include "marrow/stages.hpp"

namespace marrow {
namespace {

using namespace ddm_compression;

constexpr std::size_t first_try = 16;          // virtual bones that a search starts with
constexpr double search_width = 0.05;          // of the number of virtual bones
constexpr std::size_t validation_poses = 60;   // for an error target
constexpr std::uint64_t validation_seed = 77;  // added to the run's

/// For the estimate of progress, in solves: making the examples, the solves that follow one while the number of virtual
/// bones still grows, and those after the next halving.
constexpr double share_of_examples = 0.1, growing = 8;
double halvings_left(std::size_t low, std::size_t high) {
  const double width = double(high - low) / std::max(1.0, search_width * double(high));
  return std::max(0.0, std::ceil(std::log2(width)) - 1);
}

/// Models by number of virtual bones; the best that passed.
class Search {
 public:
  Search(const Solver& solver, Report& report, Stopwatch& watch, const Run& run)
      : solver_(solver), report_(report), watch_(watch), stages_(run) {}

  /// `after`: expected time of the solves after this one, which takes 1.
  CompressedDdm solve(std::size_t count, double after) {
    curve_.clear();
    Report own;
    CompressedDdm model = solver_.solve(count, own, watch_, stages_.next(1, after));
    curve_ = own.error_curve;
    ++runs_;
    return model;
  }
  void keep(CompressedDdm model) {
    best_ = std::move(model);
    report_.error_curve = curve_;
  }
  bool has_best() const { return best_.has_value(); }
  CompressedDdm take() { return std::move(*best_); }
  int runs() const { return runs_; }

 private:
  const Solver& solver_;
  Report& report_;
  Stopwatch& watch_;
  Stages stages_;
  std::vector<double> curve_;
  std::optional<CompressedDdm> best_;
  int runs_ = 0;
};

/// RMS distance in poses that the solver has not seen, as a share of the size.
double validation_error(const DdmRig& ddm, const Sequence& truth, CompressedDdm model, const Run& run) {
  model.rig.motion = ddm.rig.motion;
  const Metrics metrics = compare(truth, model, silent(run));
  return metrics.size > 0 ? metrics.error.rms / metrics.size : 0;
}

/// The fewest bones that reach the error: doubling, then bisection.
Status search_error(const DdmRig& ddm, const DdmCompressionOptions& options, const RangesOfMotion& ranges,
                    Search& search, const Run& run) {
  DdmRig unseen = ddm;
  unseen.rig.motion = sample_poses(ddm.rig.skeleton, ranges, validation_poses, run.seed + validation_seed);
  const Sequence truth = bake(unseen, silent(run));
  const auto reaches = [&](std::size_t count, double after, bool keep_anyway) {
    CompressedDdm model = search.solve(count, after);
    const bool good = validation_error(unseen, truth, model, run) <= *options.error_target;
    if (good || keep_anyway) search.keep(std::move(model));
    return good;
  };
  std::size_t low = 0, high = std::min(first_try, options.virtual_bones);
  while (!reaches(high, growing, high == options.virtual_bones)) {
    if (high == options.virtual_bones) return Status::quality_missed;
    low = high;
    high = std::min(2 * high, options.virtual_bones);
  }
  while (double(high - low) > std::max(1.0, search_width * double(high))) {
    const std::size_t middle = (low + high) / 2;
    (reaches(middle, halvings_left(low, high), false) ? high : low) = middle;
  }
  return Status::done;
}

/// As many bones as the bytes allow.
void search_bytes(const DdmCompressionOptions& options, Search& search) {
  const auto fits = [&](std::size_t count, double after) {
    CompressedDdm model = search.solve(count, after);
    const bool good = storage(model) <= *options.byte_budget;
    if (good) search.keep(std::move(model));
    return good;
  };
  std::size_t low = std::min(first_try, options.virtual_bones), high = low;
  // Too many already: all the way down.
  while (!fits(low, growing)) {
    if (low == 1) {
      throw Error(ErrorCode::bad_request, "DdmCompressionOptions::byte_budget",
                  "even one virtual bone takes more; give more bytes, or fewer influences");
    }
    high = low;
    low = std::max<std::size_t>(low / 4, 1);
  }
  while (high == low && low < options.virtual_bones) {
    const std::size_t next = std::min(2 * low, options.virtual_bones);
    if (!fits(next, growing)) {
      high = next;
      break;
    }
    low = high = next;
  }
  while (double(high - low) > std::max(1.0, search_width * double(high))) {
    const std::size_t middle = (low + high) / 2;
    (fits(middle, halvings_left(low, high)) ? low : high) = middle;
  }
}

void add_figures(const CompressedDdm& model, const DistinctPoints& points, int runs, Report& report) {
  const auto p = double(model.virtual_bone_count());
  report.figures.emplace_back("points", double(points.count()));
  report.figures.emplace_back("virtual bones", p);
  report.figures.emplace_back("multi-weights per virtual bone", double(model.virtual_bones.bones.size()) / p);
  report.figures.emplace_back("weights per vertex", double(model.weights.bones.size()) / double(model.vertices()));
  report.figures.emplace_back("bytes", double(storage(model)));
  report.figures.emplace_back("runs", runs);
}

}  // namespace

Result<CompressedDdm> compress(const DdmRig& ddm, const DdmCompressionOptions& options, const RangesOfMotion& ranges,
                               const Run& run) {
  check(ddm, options, ranges);
  Report report;
  report.settings = settings_of(options);
  Stopwatch watch(report);
  const double solves = options.error_target || options.byte_budget ? growing : 1;
  Stages stages(run, {share_of_examples, solves});
  const Solver solver(ddm, options, ranges, stages.next());
  watch.lap("examples");
  const Run searching = stages.next();
  Search search(solver, report, watch, searching);
  if (options.error_target) {
    report.status = search_error(ddm, options, ranges, search, searching);
  } else if (options.byte_budget) {
    search_bytes(options, search);
  } else {
    search.keep(search.solve(options.virtual_bones, 0));
  }
  stages.done();
  CompressedDdm model = search.take();
  add_figures(model, solver.points(), search.runs(), report);
  return {std::move(model), std::move(report)};
}

double fitting_error(const DdmRig& ddm, const CompressedDdm& model, const RangesOfMotion& ranges,
                     const ContinuousExamples& examples, const Run& run) {
  DdmCompressionOptions options;
  options.method = DdmCompressionMethod::paper;
  options.examples = examples;
  check(ddm, options, ranges);
  validate(model);
  if (model.vertices() != ddm.vertices() || model.bones() != ddm.bones()) {
    throw Error(ErrorCode::bad_input, "fitting_error", "model and compressed model have other vertices or bones");
  }
  const DistinctPoints points = distinct_points(ddm, false);
  const LinearExamples linear(points, ddm.rig.skeleton, ranges, examples, run);
  Fit fit;
  fit.bones = load_bones(points, model.centres, model.virtual_bones);
  update_transforms(linear, fit, run);
  double sum = 0;
  Eigen::VectorXd off(linear.rows());
  for (std::size_t i = 0; i < ddm.vertices(); ++i) {
    const Index point = to_index(points.point_of[i]);
    off = -linear.targets().col(point);
    const auto bones = model.weights.row_bones(i);
    const auto values = model.weights.row_values(i);
    for (std::size_t e = 0; e < bones.size(); ++e) {
      off.noalias() += fit.transform(bones[e]) * (double(values[e]) * points.rest.col(point));
    }
    sum += off.squaredNorm();
  }
  return points.size * std::sqrt(sum / double(ddm.vertices()));
}

}  // namespace marrow
