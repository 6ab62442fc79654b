#pragma once

#include <optional>

#include "two_layer/coding.hpp"
#include "two_layer/pose_metric.hpp"
#include "two_layer/pose_refit.hpp"
#include "two_layer/schedule.hpp"

namespace marrow::two_layer {

struct FactorOptions {
  std::size_t atoms = 0;        ///< to begin with
  bool fixed_atoms = false;     ///< as many to the end
  double entries = 0;           ///< values of both layers together
  std::size_t slots = 2;        ///< coefficients per vertex, at most
  std::size_t cardinality = 0;  ///< values per atom, at most; 0: any
  Sign sign = Sign::convex;
  Schedule schedule = two_layer::schedule(Effort::normal);
};

/// What factorise() is expected to take, in its iterations: for the estimate of progress.
double cost_of_factorising(const Schedule& schedule, bool poses, bool refit);

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
