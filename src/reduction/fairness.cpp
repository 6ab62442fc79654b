// Landreneau & Schaefer 2010 (methods `smooth`, without poses, and `poisson`, with poses): keeps Laplacians on the
// supports of k-largest and of `geometry`.
#include "reduction/fairness.hpp"

#include <algorithm>

#include "lbs/points.hpp"
#include "lbs/pose_problem.hpp"
#include "lbs/slot_weights.hpp"
#include "reduction/fair_fit.hpp"
#include "reduction/options.hpp"

namespace marrow::reduction {
namespace {

/// Rows are the weights themselves: bone j predicts the j-th unit vector.
class WeightRows : public Predictions {
 public:
  WeightRows(const Weights& given, std::size_t bones) : given_(given), bones_(bones) {}
  std::size_t width() const override { return bones_; }
  void add(std::size_t, std::uint32_t bone, double weight, double* row) const override { row[bone] += weight; }
  double dot(std::size_t, std::uint32_t bone, const double* row) const override { return row[bone]; }
  void subtract_target(std::size_t i, double* row) const override {
    for (std::size_t e = given_.offsets[i]; e < given_.offsets[i + 1]; ++e) {
      row[given_.bones[e]] -= double(given_.values[e]);
    }
  }

 private:
  const Weights& given_;
  std::size_t bones_;
};

/// Rows are positions in all poses: bone j predicts R_j u~.
class PoseRows : public Predictions {
 public:
  explicit PoseRows(const lbs::PoseProblem& problem) : problem_(problem), rank_(problem.rank()) {}
  std::size_t width() const override { return rank_; }
  void add(std::size_t i, std::uint32_t bone, double weight, double* row) const override {
    const double *u = rest(i), *r = by_bone(bone);
    const double x = weight * u[0], y = weight * u[lbs::lanes], z = weight * u[2 * lbs::lanes];
    for (std::size_t q = 0; q < rank_; ++q) {
      row[q] += x * r[q] + y * r[rank_ + q] + z * r[2 * rank_ + q] + weight * r[3 * rank_ + q];
    }
  }
  double dot(std::size_t i, std::uint32_t bone, const double* row) const override {
    const double *u = rest(i), *r = by_bone(bone);
    const double x = u[0], y = u[lbs::lanes], z = u[2 * lbs::lanes];
    // Four independent sums, so that additions need not wait for each other.
    double sum[4] = {};
    std::size_t q = 0;
    for (; q + 4 <= rank_; q += 4) {
      for (std::size_t c = 0; c < 4; ++c) {
        const double* p = r + q + c;
        sum[c] += (x * p[0] + y * p[rank_] + z * p[2 * rank_] + p[3 * rank_]) * row[q + c];
      }
    }
    for (; q < rank_; ++q) sum[0] += (x * r[q] + y * r[rank_ + q] + z * r[2 * rank_ + q] + r[3 * rank_ + q]) * row[q];
    return sum[0] + sum[1] + sum[2] + sum[3];
  }
  void subtract_target(std::size_t i, double* row) const override {
    for (std::size_t q = 0; q < rank_; ++q) row[q] -= problem_.points.coordinate(i, q);
  }

 private:
  const double* rest(std::size_t i) const {
    return problem_.points.rest.data() + i / lbs::lanes * 3 * lbs::lanes + i % lbs::lanes;
  }
  const double* by_bone(std::uint32_t bone) const { return problem_.by_bone.data() + std::size_t(bone) * 4 * rank_; }

  const lbs::PoseProblem& problem_;
  std::size_t rank_;
};

}  // namespace

int smooth_weights(const Weights& given, std::size_t bones, const Neighbours& neighbours, lbs::SlotWeights& weights,
                   const Run& run) {
  return fair_fit(WeightRows(given, bones), neighbours, {.anchor = weight_anchor}, weights, run);
}

int fit_poisson(const lbs::PoseProblem& problem, const Neighbours& neighbours, lbs::SlotWeights& weights,
                const Run& run) {
  return fair_fit(PoseRows(problem), neighbours, {.anchor = pose_anchor}, weights, run);
}

}  // namespace marrow::reduction
