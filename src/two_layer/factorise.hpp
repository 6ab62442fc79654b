#pragma once

#include <optional>

#include "marrow/effort.hpp"
#include "two_layer/coding.hpp"
#include "two_layer/pose_metric.hpp"
#include "two_layer/pose_refit.hpp"

namespace marrow::two_layer {

/// How long to try.
struct Plan {
  int iterations;
  int shrinking;        ///< the first so many take the number of values down to the budget
  int settling;         ///< the last so many exchange no atoms
  int pose_iterations;  ///< instead of those, where there are poses
  int pose_shrinking;
  int pose_settling;
  int far;  ///< one in so many looks for atoms everywhere; 0: none
  int pose_far;
  int refit_far;
  int refits;     ///< iterations after those in which rest pose and motion follow
  int polishing;  ///< rounds of everything in turn at their end, with the supports as they are
};
Plan plan_of(Effort effort);

struct FactorOptions {
  std::size_t atoms = 0;        ///< to begin with
  bool fixed_atoms = false;     ///< as many to the end
  double entries = 0;           ///< values of both layers together
  std::size_t slots = 2;        ///< coefficients per vertex, at most
  std::size_t cardinality = 0;  ///< values per atom, at most; 0: any
  Sign sign = Sign::convex;
  Plan plan = plan_of(Effort::normal);
};

/// What factorise() is expected to take, in its iterations: for the estimate of progress.
double cost_of_factorising(const Plan& plan, bool poses, bool refit);

/// Rest pose and motion that belong to the layers.
struct Moved {
  std::vector<Vec3> positions;     ///< #vertices
  std::vector<Affine> transforms;  ///< #frames x #bones
};

struct Factors {
  Dictionary dictionary;
  Coding coding;
  std::optional<Moved> moved{};  ///< where they were refitted
};

/// W = D A with at most `entries` values other than 0 in D and A together. With `poses`, for the least distance to
/// those (section 3.5), else to W; with `refit`, rest pose and motion follow them too.
Factors factorise(const DenseWeights& weights, const Neighbours& neighbours, const PoseMetric* poses,
                  const FactorOptions& options, const Run& run, PoseRefit* refit = nullptr);

}  // namespace marrow::two_layer
