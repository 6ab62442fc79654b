#include "core/check_matrix.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/check.hpp"

namespace marrow {
namespace {

/// A row must sum to 1 within sum_tolerance + rounding * (sum of its magnitudes).
constexpr double sum_tolerance = 1e-3, rounding = 1e-6;
/// Largest allowed magnitude. Beyond it, floats are too coarse to check a sum of 1.
constexpr double most_weight = 1e6;

void require_row(const Matrix& weights, std::size_t i) {
  double sum = 0, size = 0;
  for (const float w : weights.row(i)) {
    require(std::isfinite(w), "weights",
            [&] { return fmt::format("row {} has a weight that is not finite; give numbers", i); });
    require(std::abs(w) <= most_weight, "weights", [&] {
      return fmt::format("row {} has a weight of {:.6g}; give none beyond {:g} either way", i, w, most_weight);
    });
    sum += w;
    size += std::abs(w);
  }
  require(std::abs(sum - 1) <= sum_tolerance + rounding * size, "weights",
          [&] { return fmt::format("row {} sums to {:.6g} instead of 1; divide each row by its sum", i, sum); });
}

}  // namespace

void require_weights(const Matrix& weights, const Mesh& mesh) {
  validate(mesh);
  require(weights.rows == mesh.vertices() && weights.rows > 0 && weights.columns > 0 &&
              weights.values.size() == weights.rows * weights.columns,
          "weights", [&] {
            return fmt::format(
                "{} values, {} rows and {} columns for {} vertices; give a row per vertex and a column per bone",
                weights.values.size(), weights.rows, weights.columns, mesh.vertices());
          });
  for (std::size_t i = 0; i < weights.rows; ++i) require_row(weights, i);
}

}  // namespace marrow
