#pragma once

#include <cstddef>
#include <cstdint>

#include "core/neighbours.hpp"
#include "lbs/slot_weights.hpp"
#include "marrow/run.hpp"

namespace marrow::reduction {

/// A linear model per vertex: sum over its bones of weight * prediction, and a target; rows of width() numbers.
class Predictions {
 public:
  virtual ~Predictions() = default;
  virtual std::size_t width() const = 0;
  /// row += weight * prediction of the bone for vertex i.
  virtual void add(std::size_t i, std::uint32_t bone, double weight, double* row) const = 0;
  /// prediction . row.
  virtual double dot(std::size_t i, std::uint32_t bone, const double* row) const = 0;
  virtual void subtract_target(std::size_t i, double* row) const = 0;
};

struct FairOptions {
  double anchor = 0;   ///< weight of the values relative to their Laplacian; positive
  bool convex = true;  ///< weights >= 0
  int rounds = 10;
  int iterations = 30;  ///< of conjugate gradients, per round
};

/// Minimises |L e|^2 + anchor |e|^2 over the weights in the used slots, with row sums 1; e is prediction minus target,
/// L the umbrella operator. Starts from `weights` (feasible); never worse. Returns the number of rounds.
int fair_fit(const Predictions& predictions, const Neighbours& neighbours, const FairOptions& options,
             lbs::SlotWeights& weights, const Run& run);

}  // namespace marrow::reduction
