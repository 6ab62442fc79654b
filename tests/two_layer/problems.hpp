#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lbs/pose_problem.hpp"
#include "two_layer/atoms.hpp"
#include "two_layer/layers.hpp"
#include "two_layer/pose_metric.hpp"
#include "two_layer/to_layers.hpp"

// Small problems that are in the middle of being solved.
namespace marrow::two_layer {

using marrow::testing::noisy_target;
using marrow::testing::smooth_rig;

/// Weights, and some dictionary and codes for them.
struct Problem {
  Rig rig;
  DenseWeights weights;
  Dictionary dictionary;
  Coding coding;
  std::vector<std::uint8_t> support;

  explicit Problem(std::uint64_t seed, std::size_t atoms = 12, std::size_t slots = 3, std::size_t frames = 7) {
    rig = smooth_rig(synthetic::arm({.vertices = 120, .frames = frames, .seed = seed}));
    weights = dense(rig.weights, rig.bones());
    dictionary.bones = weights.bones;
    Random random(seed);
    for (std::size_t j = 0; j < atoms; ++j) {
      const float* row = weights.row(random.index(weights.vertices));
      dictionary.values.insert(dictionary.values.end(), row, row + weights.bones);
    }
    for (std::size_t i = 0; i < weights.vertices; ++i) {
      Code code{.count = std::uint32_t(1 + random.index(slots))};
      double sum = 0;
      std::vector<double> values;
      for (std::uint32_t s = 0; s < code.count; ++s) {
        code.atoms[s] = std::uint32_t((i + 5 * s) % atoms);
        values.push_back(random.uniform(0.1, 1));
        sum += values.back();
      }
      for (std::uint32_t s = 0; s < code.count; ++s) code.values[s] = float(values[s] / sum);
      coding.push_back(code);
    }
    for (std::size_t e = 0; e < dictionary.values.size(); ++e) support.push_back(random.uniform() < 0.6 ? 1 : 0);
    for (std::size_t j = 0; j < atoms; ++j) support[j * weights.bones + random.index(weights.bones)] = 1;
  }

  std::vector<double> blended(std::size_t i) const {
    std::vector<double> x(weights.bones);
    for (std::uint32_t s = 0; s < coding[i].count; ++s) {
      const float* d = dictionary.row(coding[i].atoms[s]);
      for (std::size_t b = 0; b < x.size(); ++b) x[b] += double(coding[i].values[s]) * d[b];
    }
    return x;
  }
  double weight_error_of(std::size_t i) const {
    const std::vector<double> x = blended(i);
    double sum = 0;
    for (std::size_t b = 0; b < x.size(); ++b) sum += (x[b] - weights.row(i)[b]) * (x[b] - weights.row(i)[b]);
    return sum;
  }
  double weight_energy() const {
    double sum = 0;
    for (std::size_t i = 0; i < weights.vertices; ++i) sum += weight_error_of(i);
    return sum;
  }
};

/// Sum over the frames of |sum_j x_j M_j u - v|^2, in parts of the radius.
inline double pose_error(const Rig& rig, const Sequence& target, std::size_t i, const std::vector<double>& x) {
  const double radius = smallest_enclosing_ball(rig.mesh.positions).radius;
  const Vec3& u = rig.mesh.positions[i];
  double sum = 0;
  for (std::size_t t = 0; t < rig.frames(); ++t) {
    const Vec3& v = target.frame(t)[i];
    std::array<double, 3> e{-double(v.x), -double(v.y), -double(v.z)};
    for (std::size_t j = 0; j < x.size(); ++j) {
      const auto p = transform(rig.motion.frame(t)[j], std::array<double, 3>{u.x, u.y, u.z});
      for (std::size_t q = 0; q < 3; ++q) e[q] += x[j] * p[q];
    }
    for (const double v_q : e) sum += v_q * v_q / (radius * radius);
  }
  return sum;
}

inline double pose_energy(const Problem& problem, const Sequence& target) {
  double sum = 0;
  for (std::size_t i = 0; i < problem.weights.vertices; ++i) {
    sum += pose_error(problem.rig, target, i, problem.blended(i));
  }
  return sum;
}

/// A problem whose mesh should do something else in its frames.
struct PosedProblem : Problem {
  Sequence target;
  PoseMetric metric;

  explicit PosedProblem(std::uint64_t seed, std::size_t frames = 7)
      : Problem(seed, 12, 3, frames),
        target(noisy_target(rig)),
        metric(weights, lbs::PoseProblem(rig, rig.motion, &target, {}), {}) {}

  double energy() const { return pose_energy(*this, target); }
};

/// Calls test(problem, sign) for a problem of each seed, with values of either sign allowed or not.
template <class Kind, class Test>
void for_each_problem(std::initializer_list<std::uint64_t> seeds, const Test& test) {
  for (const std::uint64_t seed : seeds) {
    for (const Sign sign : {Sign::convex, Sign::any}) {
      SCOPED_TRACE(fmt::format("seed {}, {}", seed, sign == Sign::convex ? "convex" : "any sign"));
      Kind problem(seed);
      test(problem, sign);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

inline void expect_constraints(const Problem& problem, Sign sign) {
  const Dictionary& d = problem.dictionary;
  for (std::size_t j = 0; j < d.atoms(); ++j) {
    double sum = 0;
    for (std::size_t x = 0; x < d.bones; ++x) {
      const float v = d.row(j)[x];
      sum += v;
      if (problem.support[j * d.bones + x] == 0) {
        ASSERT_EQ(v, 0);
      }
      if (sign == Sign::convex) {
        ASSERT_GE(v, 0);
      }
    }
    ASSERT_NEAR(sum, 1, 1e-5) << "atom " << j;
  }
}

/// After the first one, which may cost something because it goes to the supports.
template <class Energy>
void expect_falling_energy(AtomSolver& descent, const Problem& problem, Sign sign, int sweeps, const Energy& energy) {
  descent.sweep(problem.support);
  const double first = energy();
  double last = first;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    descent.sweep(problem.support);
    expect_constraints(problem, sign);
    const double now = energy();
    ASSERT_LE(now, last * (1 + 1e-6)) << "sweep " << sweep;
    last = now;
  }
  EXPECT_LT(last, 0.999 * first) << "nothing happened";
}

}  // namespace marrow::two_layer
