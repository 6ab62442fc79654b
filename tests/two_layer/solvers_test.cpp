// The parts of the solver against answers from elsewhere, in double.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "two_layer/atoms.hpp"
#include "two_layer/coding.hpp"
#include "two_layer/pose_atoms.hpp"
#include "two_layer/problems.hpp"

namespace marrow::two_layer {
namespace {

// ---- Blends of a few candidates ----

/// The least |R a|^2 over the faces of the simplex (or the whole plane), each solved by itself.
double best_of_all_faces(const Eigen::MatrixXd& r, Sign sign) {
  double best = std::numeric_limits<double>::infinity();
  for (unsigned face = 1; face < 1U << r.cols(); ++face) {
    std::vector<Eigen::Index> in;
    for (Eigen::Index c = 0; c < r.cols(); ++c) {
      if ((face >> c & 1U) != 0) in.push_back(c);
    }
    const auto n = Eigen::Index(in.size());
    Eigen::VectorXd a = Eigen::VectorXd::Ones(n);
    if (n > 1) {
      Eigen::MatrixXd directions(r.rows(), n - 1);
      for (Eigen::Index c = 1; c < n; ++c) directions.col(c - 1) = r.col(in[std::size_t(c)]) - r.col(in[0]);
      const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(directions);
      // Where candidates depend on each other, values of any sign could be anything.
      if (sign == Sign::any && solver.rank() < n - 1) continue;
      a.tail(n - 1) = solver.solve(-r.col(in[0]));
      if (sign == Sign::any && n == 2) a[1] = std::clamp<double>(a[1], 1 - most_of_any_sign, most_of_any_sign);
      a[0] = 1 - a.tail(n - 1).sum();
    }
    if (sign == Sign::convex && a.minCoeff() < -1e-12) continue;
    if (sign == Sign::any && a.cwiseAbs().maxCoeff() > most_of_any_sign) continue;
    best = std::min(best, (r(Eigen::all, in) * a).squaredNorm());
  }
  return best;
}

/// The least over the points of a grid on the simplex, of any dimension.
double best_of_grid(const Eigen::MatrixXd& r, int steps, Eigen::Index at, int left, Eigen::VectorXd& a) {
  if (at + 1 == r.cols()) {
    a[at] = double(left) / steps;
    return (r * a).squaredNorm();
  }
  double best = std::numeric_limits<double>::infinity();
  for (int s = 0; s <= left; ++s) {
    a[at] = double(s) / steps;
    best = std::min(best, best_of_grid(r, steps, at + 1, left - s, a));
  }
  return best;
}

TEST(TwoLayerSolvers, BlendsAreTheBestOfAllFaces) {
  Random random(2);
  for (int round = 0; round < 600; ++round) {
    const Eigen::Index n = 2 + round % 3, rows = 1 + Eigen::Index(random.index(6));
    Eigen::MatrixXd r(rows, n);
    for (double& v : r.reshaped()) v = random.normal() + (round % 2 == 0 ? 0.6 : 0);
    if (round % 10 == 0) r.col(1) = r.col(0);  // not independent
    Gram gram(Differences::stride * Differences::stride);
    // Not the first candidates of the matrix, and in another order.
    const std::uint32_t places[] = {7, 3, 40, 11};
    for (Eigen::Index a = 0; a < n; ++a) {
      for (Eigen::Index b = 0; b < n; ++b) {
        gram[places[a] * Differences::stride + places[b]] = float(r.col(a).dot(r.col(b)));
      }
    }
    for (const Sign sign : {Sign::convex, Sign::any}) {
      const AtomBlend blend = best_blend(gram.data(), std::size_t(n), places, sign);
      const double scale = r.colwise().squaredNorm().maxCoeff();
      double sum = 0;
      Eigen::VectorXd blended = Eigen::VectorXd::Zero(rows);
      for (std::size_t s = 0; s < blend.count; ++s) {
        sum += blend.values[s];
        if (sign == Sign::convex) {
          EXPECT_GT(blend.values[s], 0) << round;
        }
        EXPECT_LE(std::abs(blend.values[s]), most_of_any_sign) << round;
        const auto* place = std::find(places, places + n, blend.candidates[s]);
        ASSERT_NE(place, places + n);
        blended += blend.values[s] * r.col(place - places);
      }
      ASSERT_NEAR(sum, 1, 1e-5 * (1 + std::abs(blend.values[0])));
      const double expected = best_of_all_faces(r, sign);
      // Values of any sign are not looked for where candidates are nearly on a line: there floats cannot tell.
      const double slack = sign == Sign::convex ? 1e-5 * scale : 1e-3 * scale;
      ASSERT_NEAR(blend.error, expected, slack) << "round " << round << ", " << n << " candidates";
      ASSERT_NEAR(blended.squaredNorm(), expected, slack);
      if (sign == Sign::convex && round < 90) {
        Eigen::VectorXd a(n);
        EXPECT_LE(blend.error, best_of_grid(r, n == 4 ? 30 : 100, 0, n == 4 ? 30 : 100, a) + 1e-6 * scale);
      }
    }
  }
}

// ---- Sweeps over the atoms ----

TEST(TwoLayerSolvers, SweepsOverAtomsNeverRaiseTheError) {
  for_each_problem<Problem>({1, 2, 3, 4}, [](Problem& problem, Sign sign) {
    AtomDescent descent(problem.weights, problem.coding, problem.dictionary, sign, {});
    expect_falling_energy(descent, problem, sign, 12, [&] { return problem.weight_energy(); });
  });
}

TEST(TwoLayerSolvers, SweepsInPosesNeverRaiseTheError) {
  for_each_problem<PosedProblem>({1, 2, 3, 4}, [](PosedProblem& problem, Sign sign) {
    PoseAtomDescent descent(problem.weights, problem.metric, problem.coding, problem.dictionary, sign, {});
    expect_falling_energy(descent, problem, sign, 8, [&] { return problem.energy(); });
  });
}

/// Nearest point with sum 1 (and no negative value), by halving an interval of shifts.
void project_slowly(Eigen::VectorXd& v, Sign sign) {
  if (sign == Sign::any) {
    v.array() -= (v.sum() - 1) / double(v.size());
    return;
  }
  double low = v.minCoeff() - 1, high = v.maxCoeff();
  for (int halving = 0; halving < 100; ++halving) {
    const double middle = (low + high) / 2;
    ((v.array() - middle).max(0.0).sum() > 1 ? low : high) = middle;
  }
  v = (v.array() - low).max(0.0).matrix();
}

/// Of a sweep, the last atom is the best for what the others are now.
TEST(TwoLayerSolvers, AnAtomIsTheMinimumThatGradientsFind) {
  for_each_problem<Problem>({5, 6, 7}, [](Problem& problem, Sign sign) {
    AtomDescent descent(problem.weights, problem.coding, problem.dictionary, sign, {});
    descent.sweep(problem.support);
    const std::size_t atom = problem.dictionary.atoms() - 1, k = problem.weights.bones;
    const std::uint8_t* support = problem.support.data() + atom * k;
    std::vector<std::size_t> in;
    for (std::size_t x = 0; x < k; ++x) {
      if (support[x] != 0) in.push_back(x);
    }
    const auto n = Eigen::Index(in.size());
    Problem other = problem;
    Eigen::VectorXd v = Eigen::VectorXd::Constant(n, 1.0 / double(n));
    for (int step = 0; step < 3000; ++step) {
      std::fill_n(other.dictionary.row(atom), k, 0.0F);
      Eigen::VectorXd gradient = Eigen::VectorXd::Zero(n);
      double curvature = 0;
      for (std::size_t i = 0; i < other.weights.vertices; ++i) {
        for (std::uint32_t s = 0; s < other.coding[i].count; ++s) {
          if (other.coding[i].atoms[s] != atom) continue;
          const double a = other.coding[i].values[s];
          const std::vector<double> rest = other.blended(i);
          curvature += a * a;
          for (Eigen::Index q = 0; q < n; ++q) {
            const std::size_t x = in[std::size_t(q)];
            gradient[q] += a * (rest[x] + a * v[q] - other.weights.row(i)[x]);
          }
        }
      }
      const Eigen::VectorXd before = v;
      v -= 0.3 / curvature * gradient;
      project_slowly(v, sign);
      if ((v - before).norm() < 1e-10) break;
    }
    for (Eigen::Index q = 0; q < n; ++q) {
      EXPECT_NEAR(problem.dictionary.row(atom)[in[std::size_t(q)]], v[q], 1e-5);
    }
  });
}

/// The same in poses: nothing that one bone gives to another makes it better.
TEST(TwoLayerSolvers, AnAtomInPosesCannotBeBettered) {
  for_each_problem<PosedProblem>({5, 6, 7}, [](PosedProblem& problem, Sign sign) {
    PoseAtomDescent descent(problem.weights, problem.metric, problem.coding, problem.dictionary, sign, {});
    descent.sweep(problem.support);
    const double energy = problem.energy();
    const std::size_t atom = problem.dictionary.atoms() - 1, k = problem.weights.bones;
    const std::uint8_t* support = problem.support.data() + atom * k;
    float* d = problem.dictionary.row(atom);
    for (std::size_t x = 0; x < k; ++x) {
      for (std::size_t y = 0; y < k; ++y) {
        if (x == y || support[x] == 0 || support[y] == 0) continue;
        for (const float given : {0.002F, 0.02F}) {
          if (sign == Sign::convex && d[y] < given) continue;
          d[x] += given;
          d[y] -= given;
          EXPECT_GE(problem.energy(), energy * (1 - 1e-6)) << "from " << y << " to " << x;
          d[x] -= given;
          d[y] += given;
        }
      }
    }
  });
}

// ---- The metric of the poses ----

std::size_t count_of(const std::vector<std::uint8_t>& flags) {
  return std::size_t(std::count(flags.begin(), flags.end(), 1));
}

TEST(TwoLayerSolvers, HigherPricesLeaveFewerValuesInPoses) {
  for (const Sign sign : {Sign::convex, Sign::any}) {
    std::size_t last = 0;
    for (const double price : {1e30, 1e-1, 1e-3, 0.0}) {
      PosedProblem problem(1);
      PoseAtomDescent descent(problem.weights, problem.metric, problem.coding, problem.dictionary, sign, {});
      std::vector<float> gains;
      descent.choose(price, problem.weights.bones, problem.support, gains);
      expect_constraints(problem, sign);
      if (last == 0) {
        EXPECT_EQ(count_of(problem.support), problem.dictionary.atoms()) << "an atom has one value at least";
      } else {
        EXPECT_GT(count_of(problem.support), last) << price;
      }
      last = count_of(problem.support);
    }
  }
}

TEST(TwoLayerSolvers, AtomsInPosesHaveAtMostSoManyValues) {
  for_each_problem<PosedProblem>({1, 2}, [](PosedProblem& problem, Sign sign) {
    const std::size_t k = problem.weights.bones;
    PoseAtomDescent descent(problem.weights, problem.metric, problem.coding, problem.dictionary, sign, {});
    std::vector<float> gains;
    descent.choose(0, 2, problem.support, gains);
    expect_constraints(problem, sign);
    for (std::size_t j = 0; j < problem.dictionary.atoms(); ++j) {
      const auto row = problem.support.begin() + std::ptrdiff_t(j * k);
      EXPECT_EQ(std::count(row, row + std::ptrdiff_t(k), 1), 2);
    }
  });
}

TEST(TwoLayerSolvers, TheMetricOfPosesIsTheDistanceInTheFrames) {
  const PosedProblem problem(3);
  const std::size_t k = problem.weights.bones, stride = Differences::stride, count = problem.dictionary.atoms();
  Random random(1);
  GramScratch scratch;
  Gram gram;
  for (std::size_t i = 0; i < problem.weights.vertices; i += 3) {
    Differences differences{count, std::vector<float>(k * stride)};
    const std::vector<double> w(problem.weights.row(i), problem.weights.row(i) + k);
    for (std::size_t c = 0; c < count; ++c) {
      for (std::size_t x = 0; x < k; ++x) {
        differences.values[x * stride + c] = problem.dictionary.row(c)[x] - problem.weights.row(i)[x];
      }
    }
    problem.metric.gram(i, differences, scratch, gram);
    for (int round = 0; round < 4; ++round) {
      std::vector<double> a(count), x(k);
      double sum = 0, found = 0;
      for (double& v : a) sum += v = random.uniform(round == 3 ? -1 : 0, 1) + 0.1;
      for (std::size_t c = 0; c < count; ++c) {
        for (std::size_t b = 0; b < k; ++b) x[b] += a[c] / sum * problem.dictionary.row(c)[b];
        for (std::size_t e = 0; e < count; ++e) found += a[c] * a[e] / (sum * sum) * gram[c * stride + e];
      }
      const double at_x = pose_error(problem.rig, problem.target, i, x);
      const double at_w = pose_error(problem.rig, problem.target, i, w);
      ASSERT_NEAR(found, at_x - at_w, 1e-4 * at_x) << "vertex " << i;
    }
  }
}

// ---- Codes ----

TEST(TwoLayerSolvers, NewCodesAreNeverWorse) {
  for (const Sign sign : {Sign::convex, Sign::any}) {
    for (const Reach reach : {Reach::own, Reach::ring, Reach::everywhere}) {
      for (const std::size_t slots : {2U, 3U, 4U}) {
        Problem problem(slots, 20, slots);
        const auto around = within_two_edges(mesh_neighbours(problem.rig.mesh));
        const WeightMetric metric;
        Coded coded;
        double first = problem.weight_energy();
        for (int pass = 0; pass < 4; ++pass) {
          const Problem before = problem;
          code_vertices({problem.weights, metric, around}, problem.dictionary,
                        {.slots = slots, .sign = sign, .reach = reach}, problem.coding, coded, {});
          for (std::size_t i = 0; i < problem.weights.vertices; ++i) {
            const Code& code = problem.coding[i];
            ASSERT_GE(code.count, 1U);
            ASSERT_LE(code.count, slots);
            double sum = 0, size = 0;
            for (std::uint32_t s = 0; s < code.count; ++s) {
              sum += code.values[s];
              size += std::abs(code.values[s]);
              if (sign == Sign::convex) {
                ASSERT_GE(code.values[s], 0);
              }
            }
            ASSERT_NEAR(sum, 1, 1e-6 * size);
            // Entries of the Gram matrix are floats, and a^T gram a adds them up with values as large as that.
            const double rounding = 5e-7 * size * size;
            const double now = problem.weight_error_of(i);
            ASSERT_LE(now, before.weight_error_of(i) * (1 + 1e-4) + rounding) << "vertex " << i << ", pass " << pass;
            ASSERT_NEAR(coded.errors[i], now, 1e-4 * now + rounding);
          }
        }
        EXPECT_LT(problem.weight_energy(), first);
      }
    }
  }
}

TEST(TwoLayerSolvers, APriceMakesCodesShorter) {
  Problem problem(1, 20, 3);
  const auto around = within_two_edges(mesh_neighbours(problem.rig.mesh));
  const WeightMetric metric;
  Coded coded;
  std::size_t last = 1000;
  for (const double price : {0.0, 1e-4, 1e-2, 10.0}) {
    Coding coding = problem.coding;
    code_vertices({problem.weights, metric, around}, problem.dictionary,
                  {.slots = 3, .price = price, .reach = Reach::everywhere}, coding, coded, {});
    std::size_t values = 0;
    for (const Code& code : coding) values += code.count;
    EXPECT_LT(values, last);
    last = values;
  }
  EXPECT_EQ(last, problem.weights.vertices) << "one each";
}

}  // namespace
}  // namespace marrow::two_layer
