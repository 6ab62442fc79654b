// Weights as a matrix, without bones; entries may be negative.
#include <algorithm>
#include <cmath>

#include "core/check_matrix.hpp"
#include "core/stopwatch.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "marrow/error.hpp"
#include "marrow/reduce.hpp"
#include "reduction/fair_fit.hpp"
#include "reduction/options.hpp"

namespace marrow {
namespace reduction {
namespace {

/// The largest entries of each row by magnitude. The missing rest to 1 is distributed by magnitude: for positive
/// weights that is normalisation, and it is also defined if the kept entries nearly cancel.
lbs::SlotWeights largest_by_magnitude(const Matrix& weights, std::size_t influences) {
  lbs::SlotWeights slots;
  slots.resize((weights.rows + lbs::lanes - 1) / lbs::lanes, influences);
  std::vector<std::uint32_t> order(weights.columns);
  for (std::size_t i = 0; i < weights.rows; ++i) {
    const auto row = weights.row(i);
    for (std::uint32_t j = 0; j < order.size(); ++j) order[j] = j;
    std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(influences), order.end(),
                      [&](std::uint32_t a, std::uint32_t b) {
                        return std::abs(row[a]) != std::abs(row[b]) ? std::abs(row[a]) > std::abs(row[b]) : a < b;
                      });
    double sum = 0, magnitude = 0;
    std::uint32_t& used = slots.used[i];
    for (std::size_t a = 0; a < influences && row[order[a]] != 0; ++a) {
      sum += row[order[a]];
      magnitude += std::abs(row[order[a]]);
      slots.bones[i * influences + used] = order[a];
      slots.values[i * influences + used++] = row[order[a]];
    }
    for (std::size_t a = 0; a < used; ++a) {
      double& w = slots.values[i * influences + a];
      w += (1 - sum) * std::abs(w) / magnitude;
    }
  }
  return slots;
}

/// Rows are the weights themselves.
class MatrixRows : public Predictions {
 public:
  explicit MatrixRows(const Matrix& given) : given_(given) {}
  std::size_t width() const override { return given_.columns; }
  void add(std::size_t, std::uint32_t bone, double weight, double* row) const override { row[bone] += weight; }
  double dot(std::size_t, std::uint32_t bone, const double* row) const override { return row[bone]; }
  void subtract_target(std::size_t i, double* row) const override {
    const auto from = given_.row(i);
    for (std::size_t j = 0; j < from.size(); ++j) row[j] -= double(from[j]);
  }

 private:
  const Matrix& given_;
};

}  // namespace
}  // namespace reduction

using namespace reduction;

Result<Matrix> reduce(const Matrix& weights, const Mesh& mesh, const ReduceOptions& options, const Run& run) {
  check_ranges(options);
  if (options.method != ReduceMethod::klargest && options.method != ReduceMethod::smooth) {
    throw Error(ErrorCode::bad_request, "method", "weights without bones have no poses; use klargest or smooth");
  }
  require_weights(weights, mesh);
  Report report;
  report.settings = settings_of(options);
  Stopwatch watch(report);
  const std::size_t influences = std::min(options.influences, weights.columns);
  lbs::SlotWeights slots = largest_by_magnitude(weights, influences);
  if (options.method == ReduceMethod::smooth && influences < weights.columns) {
    const bool convex = std::ranges::all_of(weights.values, [](float w) { return w >= 0; });
    const Neighbours neighbours = mesh_neighbours(mesh);
    if (neighbours.indices.empty()) report.warnings.push_back(no_faces_warning);
    const FairOptions fair{.anchor = weight_anchor, .convex = convex};
    report.figures.emplace_back("rounds", fair_fit(MatrixRows(weights), neighbours, fair, slots, run));
  }
  Matrix result{weights.rows, weights.columns, std::vector<float>(weights.values.size())};
  for (std::size_t i = 0; i < weights.rows; ++i) {
    for (std::size_t a = 0; a < slots.used[i]; ++a) {
      result.row(i)[slots.bones[i * influences + a]] = float(slots.values[i * influences + a]);
    }
  }
  watch.lap("weights");
  return {std::move(result), std::move(report)};
}

}  // namespace marrow
