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

/// Eq. 7b: the squared distance to the example poses, as a function of the weights x of vertex i:
/// (x - w)^T Q (x - w) + 2 g^T (x - w) beyond that of w, with Q_ab = u^T H_ab u and H_ab = sum_t M_a^T M_b. Frames are
/// summed up once; from then on their number does not matter.
///
/// Where the rest pose may move, the vertex takes the best place d for x: with T = sum_j b_j M_j what its blend b does
/// to a change of the rest position, the least |residual + T (d - d_now)|^2 + l |d|^2 counts, so that Q becomes Q - K
/// K^T. With l = |residual of b|^2 / limit^2 nothing is promised that places further away than the limit would need.
class PoseMetric final : public Metric {
 public:
  /// What the vertices blend now, where they are in the rest pose, and how far they may go from the points' own; in
  /// the points' units.
  struct RestFreedom {
    DenseWeights blends;
    const std::vector<double>& rest;
    double limit = 0;
  };

  /// `bones` and `points`: as in PoseProblem, `factor` and `points`. `freedom`: null where the rest pose stays.
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
  /// K of vertex i, transposed, 3 x #bones; null where the rest pose stays.
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

/// The dictionary in the metric of the poses: for each atom, the exact minimum over its support while the others stay.
class PoseAtomDescent final : public AtomSolver {
 public:
  PoseAtomDescent(const DenseWeights& weights, const PoseMetric& metric, const Coding& coding, Dictionary& dictionary,
                  Sign sign, const Run& run);
  ~PoseAtomDescent() override;
  PoseAtomDescent(const PoseAtomDescent&) = delete;
  PoseAtomDescent& operator=(const PoseAtomDescent&) = delete;

  void sweep(const std::vector<std::uint8_t>& support) override;
  /// One sweep that also chooses the supports, each with the newest values of the others: of an atom stays what is
  /// worth more than `price`, `most` values at most. `gains`: what each value is worth, #atoms x #bones.
  void choose(double price, std::size_t most, std::vector<std::uint8_t>& support, std::vector<float>& gains);

 private:
  struct State;
  struct OneAtom;
  std::unique_ptr<State> state_;
};

}  // namespace marrow::two_layer
