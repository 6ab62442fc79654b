#pragma once

#include <array>
#include <memory>

#include "lbs/matrices.hpp"
#include "lbs/points.hpp"
#include "lbs/pose_problem.hpp"
#include "marrow/run.hpp"
#include "two_layer/atoms.hpp"
#include "two_layer/metric.hpp"

namespace marrow::two_layer {

/// Eq. (7b): squared distance to the example poses as a function of the weights x of vertex i, minus that of w: (x -
/// w)^T Q (x - w) + 2 g^T (x - w), with Q_ab = u^T H_ab u and H_ab = sum_t M_a^T M_b. Frames are summed once.
///
/// With a free rest pose, the vertex takes the best displacement d for x. T = sum_j b_j M_j is the effect of d under
/// the current blend b: minimises |residual + T (d - d_now)|^2 + l |d|^2 over d, so that Q becomes Q - K K^T. l =
/// |residual of b|^2 / limit^2 keeps d within the limit.
class PoseMetric final : public Metric {
 public:
  /// Current blends and rest positions of the vertices, and the largest displacement from the points' rest; in the
  /// points' units.
  struct RestFreedom {
    DenseWeights blends;
    const std::vector<double>& rest;
    double limit = 0;
  };

  /// `bones`, `points`: PoseProblem's `factor` and `points`. `freedom`: null if the rest pose is fixed.
  PoseMetric(const DenseWeights& weights, const lbs::RowMatrix& bones, const lbs::Points& points, const Run& run,
             const RestFreedom* freedom = nullptr);
  PoseMetric(const DenseWeights& weights, const lbs::PoseProblem& problem, const Run& run)
      : PoseMetric(weights, problem.factor, problem.points, run) {}

  void gram(std::size_t i, const Differences& differences, GramScratch& scratch, Gram& result) const override;
  std::unique_ptr<AtomSearch> search(const DenseWeights& weights, const Dictionary& dictionary) const override;

  static constexpr std::size_t forms = 10;  ///< upper triangle of u u^T
  std::size_t bones() const { return bones_; }
  const std::array<float, forms>& moments(std::size_t i) const { return moments_[i]; }
  const float* slope(std::size_t i) const { return slopes_.data() + i * bones_; }
  /// K of vertex i, transposed, 3 x #bones; null if the rest pose is fixed.
  const float* rest_moves(std::size_t i) const {
    return rest_moves_.empty() ? nullptr : rest_moves_.data() + i * 3 * bones_;
  }
  /// Q of vertex i, #bones x #bones.
  void form_at(std::size_t i, float* q) const;
  /// Form q for all pairs of bones, #bones x #bones.
  const float* form(std::size_t q) const { return tables_.data() + q * bones_ * bones_; }

 private:
  std::size_t bones_;
  std::vector<float> tables_;                      ///< forms x #bones x #bones
  std::vector<std::array<float, forms>> moments_;  ///< #vertices, of u u^T
  std::vector<float> slopes_;                      ///< #vertices x #bones, g
  std::vector<float> rest_moves_;                  ///< #vertices x 3 x #bones, or empty
};

}  // namespace marrow::two_layer
