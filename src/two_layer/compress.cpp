#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/check_matrix.hpp"
#include "core/stopwatch.hpp"
#include "lbs/best_weights.hpp"
#include "lbs/pose_problem.hpp"
#include "marrow/effort.hpp"
#include "marrow/error.hpp"
#include "marrow/metrics.hpp"
#include "marrow/reduce.hpp"
#include "marrow/stages.hpp"
#include "marrow/two_layer.hpp"
#include "two_layer/options.hpp"
#include "two_layer/paper.hpp"
#include "two_layer/to_layers.hpp"

namespace marrow {
namespace two_layer {
namespace {

/// The last step of a search for the fewest values; it is expected to take one solve, two with more values and these.
constexpr int halvings = 4;
constexpr double expected_solves = 3 + halvings;

/// What players show that do not know the layers.
constexpr std::size_t plain_influences = 4;
/// Where nothing says when to stop.
constexpr double default_bones_per_vertex = 4;

/// For the estimate of progress, in iterations of the solver: what it takes, and the plain skin after it.
double cost_of_solving(const CompressOptions& options, bool poses) {
  const double once = cost_of_factorising(schedule(options.effort), poses, options.refit != Refit::none);
  return options.error ? expected_solves * once : once;
}
double cost_of_plain_skin(bool poses) {
  return poses ? 4 : 14;
}

/// Everything about the weights that does not depend on how far they are compressed.
struct Task {
  const DenseWeights& weights;
  std::size_t most_influences;
  Neighbours neighbours;
  const PoseMetric* poses = nullptr;
  CompressOptions options;
  const PoseRefit* refit = nullptr;  ///< what moves with the layers, as it is before, where that is asked for
};

/// c of the paper, unless asked for.
std::size_t cardinality_of(const Task& task) {
  if (task.options.cardinality > 0) return std::min(task.options.cardinality, task.weights.bones);
  return std::min(task.weights.bones, task.most_influences + 1);
}

/// As many atoms as that, but two at least and no more than vertices (of which there may be one).
std::size_t atoms_within(double count, std::size_t vertices) {
  return std::min(std::size_t(std::clamp(count, 2.0, std::max(double(vertices), 2.0))), vertices);
}

Factors solve_paper(const Task& task, double bones_per_vertex, const Run& run) {
  const std::size_t cardinality = cardinality_of(task);
  const double n = double(task.weights.vertices);
  const double atoms = task.options.virtual_bones ? double(*task.options.virtual_bones)
                                                  : (bones_per_vertex - 2) * n / double(cardinality);
  return factorise_as_paper(task.weights, task.neighbours, atoms_within(atoms, task.weights.vertices), cardinality,
                            run);
}

Factors solve_at(const Task& task, double bones_per_vertex, const Run& run) {
  const CompressOptions& asked = task.options;
  if (asked.method == CompressMethod::paper) return solve_paper(task, bones_per_vertex, run);
  const std::size_t n = task.weights.vertices, cardinality = cardinality_of(task);
  // A fourth one is worth its price where there is time to find it.
  const bool thorough = asked.effort == Effort::best && !asked.virtual_bones && task.poses == nullptr;
  const bool few_coefficients =
      asked.virtual_bones || (bones_per_vertex < (task.poses != nullptr ? 4 : 6) && !thorough);
  FactorOptions options{.fixed_atoms = asked.virtual_bones.has_value(),
                        .slots = asked.coefficients > 0 ? asked.coefficients
                                 : few_coefficients     ? 3U
                                                        : 4U,
                        .cardinality = asked.cardinality,
                        .sign = asked.any_sign ? Sign::any : Sign::convex,
                        .schedule = schedule(asked.effort)};
  if (asked.virtual_bones) {
    options.atoms = std::min(*asked.virtual_bones, n);
    options.entries = double(options.atoms * cardinality + options.slots * n);
  } else {
    // Twice Sigma of the paper: they will be smaller than c.
    const double for_atoms = std::max(bones_per_vertex - 2, bones_per_vertex / 4);
    options.entries = bones_per_vertex * double(n);
    // A vertex has one coefficient at least, and an atom one value.
    const double most = std::max(options.entries - double(n), 1.0);
    options.atoms = atoms_within(std::min(2 * for_atoms * double(n) / double(cardinality), most), n);
    if (most < 2) options.atoms = 1;
  }
  if (task.refit == nullptr) return factorise(task.weights, task.neighbours, task.poses, options, run);
  PoseRefit refit = *task.refit;
  return factorise(task.weights, task.neighbours, task.poses, options, run, &refit);
}

/// The fewest bones per vertex whose error is small enough: 1.6 times as many until it is, then halving the interval.
template <class Error>
Factors solve_to_error(const Task& task, const Error& error, Report& report, const Run& run) {
  const double wanted = *task.options.error;
  double low = 0, high = 2.5;
  Stages stages(run);
  Factors best = solve_at(task, high, stages.next(1, expected_solves - 1));
  double reached = error(best);
  const double most = double(task.weights.bones) + 2;
  while (reached > wanted && high < most) {
    low = high;
    high = std::min(1.6 * high, most);
    best = solve_at(task, high, stages.next(1, 1 + halvings));
    reached = error(best);
  }
  if (reached > wanted) {
    report.status = Status::quality_missed;
    return best;
  }
  // What no fewer can do with.
  if (low == 0) low = task.options.method == CompressMethod::paper ? 2 : 1;
  for (int halving = 0; halving < halvings; ++halving) {
    const double middle = std::sqrt(low * high);
    Factors found = solve_at(task, middle, stages.next(1, halvings - 1 - halving));
    if (error(found) <= wanted) {
      high = middle;
      best = std::move(found);
    } else {
      low = middle;
    }
  }
  return best;
}

template <class Error>
Factors solve(const Task& task, const Error& error, Report& report, const Run& run) {
  if (task.options.error) return solve_to_error(task, error, report, run);
  return solve_at(task, task.options.bones_per_vertex.value_or(default_bones_per_vertex), run);
}

/// Layers that hold as much as the weights that they stand for are of no use.
void warn_if_thin(double weights_per_vertex, const TwoLayerRig& rig, Report& report) {
  if (weights_per_vertex > rig.bones_per_vertex()) return;
  report.warnings.push_back(
      fmt::format("the weights are thin already: {:.2f} per vertex, and {:.2f} values per vertex in two layers; leave "
                  "them as they are, ask for fewer with --bones-per-vertex, or use marrow reduce",
                  weights_per_vertex, rig.bones_per_vertex()));
}

void report_size(const TwoLayerRig& rig, Report& report) {
  report.figures.emplace_back("bones_per_vertex", rig.bones_per_vertex());
  report.figures.emplace_back("virtual_bones", double(rig.virtual_bone_count()));
  report.figures.emplace_back("coefficients_per_vertex", double(rig.weights.values.size()) / double(rig.vertices()));
  report.figures.emplace_back("bytes", double(storage(rig)));
}

/// The best ones after a rig has moved.
Weights plain_weights(const Rig& rig, Sequence target, const Run& run) {
  target.mesh = rig.mesh;
  return lbs::best_weights(target, rig.motion, plain_influences, 0, run);
}

/// How far a vertex went at most, as a share of the size.
double rest_moved(std::span<const Vec3> before, std::span<const Vec3> after) {
  double most = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Vec3 &a = before[i], &b = after[i];
    most = std::max<double>(most, std::hypot(a.x - b.x, a.y - b.y, a.z - b.z));
  }
  const double size = size_of(before);
  return size > 0 ? most / size : 0;
}

}  // namespace
}  // namespace two_layer

Result<TwoLayerRig> compress(const Rig& rig, const CompressOptions& options, const Sequence* target, const Run& run) {
  two_layer::check_request(options, rig.vertices());
  validate(rig);
  two_layer::check_refit(options, rig.skeleton, target != nullptr);
  Result<TwoLayerRig> result;
  result.report.settings = settings_of(options);
  Stopwatch watch(result.report);
  const two_layer::DenseWeights weights = two_layer::dense(rig.weights, rig.bones());
  two_layer::Task task{weights, rig.weights.max_influences(), mesh_neighbours(rig.mesh), nullptr, options};
  std::optional<lbs::PoseProblem> problem;
  std::optional<two_layer::PoseMetric> poses;
  std::optional<two_layer::PoseRefit> refit;
  const bool follows = target != nullptr;
  Stages stages(
      run, {follows ? 1.0 : 0, two_layer::cost_of_solving(options, follows), two_layer::cost_of_plain_skin(follows)});
  Run now = stages.next();
  if (target != nullptr) {
    two_layer::check_target(rig, *target, options);
    problem.emplace(rig, rig.motion, target, now);
    poses.emplace(weights, *problem, now);
    task.poses = &*poses;
    if (options.refit != Refit::none) refit.emplace(rig, *problem, *target, options.refit, silent(now));
    if (refit) task.refit = &*refit;
    watch.lap("sum up poses");
  }
  result.value.rig = rig;
  const auto error = [&](const two_layer::Factors& factors) {
    two_layer::to_layers(factors, rig, result.value);
    return target != nullptr ? compare(*target, result.value, silent(run)).e_rms
                             : weight_error(rig.weights, result.value);
  };
  const two_layer::Factors factors = two_layer::solve(task, error, result.report, stages.next());
  two_layer::to_layers(factors, rig, result.value);
  watch.lap("compress");
  now = stages.next();
  if (rig.weights.max_influences() > two_layer::plain_influences) {
    Rig plain = reduce(result.value.rig, {.influences = two_layer::plain_influences}, target, now).value;
    result.value.rig = std::move(plain);
    watch.lap("plain skin");
  } else if (factors.moved) {
    result.value.rig.weights = two_layer::plain_weights(result.value.rig, *target, now);
    watch.lap("plain skin");
  }
  stages.done();
  two_layer::report_size(result.value, result.report);
  two_layer::warn_if_thin(double(rig.weights.values.size()) / double(rig.vertices()), result.value, result.report);
  if (options.refit != Refit::none) {
    result.report.figures.emplace_back("rest_moved",
                                       two_layer::rest_moved(rig.mesh.positions, result.value.rig.mesh.positions));
  }
  return result;
}

Result<TwoLayerRig> compress(const Matrix& matrix, const Mesh& mesh, const CompressOptions& options, const Run& run) {
  two_layer::check_request(options, mesh.vertices());
  two_layer::check_refit(options, {}, false);
  Result<TwoLayerRig> result;
  CompressOptions asked = options;
  require_weights(matrix, mesh);
  asked.any_sign |= std::any_of(matrix.values.begin(), matrix.values.end(), [](float v) { return v < 0; });
  result.report.settings = settings_of(asked);
  Stopwatch watch(result.report);
  two_layer::DenseWeights weights = two_layer::dense(matrix);
  const Weights plain = two_layer::positive_part(weights);
  result.value.rig = {mesh, centroid_skeleton(mesh, plain, matrix.columns), plain, {}};
  result.value.rig.motion.bones = matrix.columns;
  const two_layer::Task task{weights, plain.max_influences(), mesh_neighbours(mesh), nullptr, asked};
  const auto error = [&](const two_layer::Factors& factors) { return two_layer::weight_error(weights, factors, run); };
  two_layer::to_layers(two_layer::solve(task, error, result.report, run), result.value);
  watch.lap("compress");
  result.value.rig.weights = two_layer::largest(plain, two_layer::plain_influences);
  two_layer::report_size(result.value, result.report);
  const auto zeros = double(std::count(matrix.values.begin(), matrix.values.end(), 0.F));
  two_layer::warn_if_thin((double(matrix.values.size()) - zeros) / double(matrix.rows), result.value, result.report);
  return result;
}

}  // namespace marrow
