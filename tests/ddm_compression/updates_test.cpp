// Derivatives and updates against finite differences and brute force.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "core/random.hpp"
#include "ddm_compression/continuous.hpp"
#include "ddm_compression/few_weights.hpp"
#include "ddm_compression/gauss_newton.hpp"
#include "ddm_compression/influences.hpp"
#include "ddm_compression/paper_update.hpp"
#include "ddm_compression/pose_examples.hpp"
#include "ddm_compression/start_fit.hpp"
#include "marrow/ddm.hpp"
#include "marrow/synthetic.hpp"

namespace marrow::ddm_compression {
namespace {

struct Body {
  Rig rig = synthetic::arm({.vertices = 400, .frames = 2});
  DdmRig ddm = make_ddm(rig, {.rotation_reach = 2, .translation_reach = 1}).value;
  DistinctPoints points = distinct_points(ddm, false);
  RangesOfMotion ranges = default_ranges(rig.skeleton);
};

/// A bone of many points that follows several bones.
VirtualBone some_bone(const Body& body) {
  std::vector<std::uint32_t> members;
  for (std::size_t i = 0; i < body.points.count(); ++i) {
    if (body.points.row(i).size() >= 3) members.push_back(std::uint32_t(i));
  }
  const std::vector<double> shares(members.size(), 1 / double(members.size()));
  VirtualBone bone = mean_bone(body.points, members, shares);
  round_off(bone, 0.05);
  return bone;
}

/// [R | t] about the bone's first centre in parts of the unit, of any multi-weights about that centre (Eq. 12).
Eigen::Matrix<double, 3, 4> direct(const PoseSet& poses, std::size_t pose, const Vector3& centre, double unit,
                                   const std::vector<MultiWeight>& weights) {
  Matrix4 q = Matrix4::Zero();
  for (const MultiWeight& w : weights) {
    Matrix4 m = Matrix4::Identity();
    m.topLeftCorner<3, 3>() = poses.at(pose, w.bone).leftCols<3>();
    m.topRightCorner<3, 1>() =
        (poses.at(pose, w.bone).leftCols<3>() * centre + poses.at(pose, w.bone).col(3) - centre) / unit;
    q += m * w.value;
  }
  q /= q(3, 3);
  const Vector3 p = q.bottomLeftCorner<1, 3>().transpose(), shift = q.topRightCorner<3, 1>();
  const Eigen::Matrix3d a = q.topLeftCorner<3, 3>() - shift * p.transpose();
  // Polar by Newton's iteration: independent of the library's.
  Eigen::Matrix3d r = a;
  for (int k = 0; k < 60; ++k) r = (r + r.inverse().transpose()) / 2;
  Eigen::Matrix<double, 3, 4> out;
  out << r, shift - r * p;
  return out;
}

TEST(DdmCompressionUpdates, DerivativesAreFiniteDifferences) {
  const Body body;
  const VirtualBone bone = some_bone(body);
  ASSERT_GE(bone.weights.size(), 3u);
  const PoseSet poses(body.points, sample_poses(body.rig.skeleton, body.ranges, 5, 2));
  const double unit = 0.07;
  const Vector4 scale(1 / unit, 1 / unit, 1 / unit, 1);
  std::vector<MultiWeight> local = bone.weights;
  for (MultiWeight& w : local) w.value = scale.asDiagonal() * w.value * scale.asDiagonal();
  Matrix4 right;
  right << 1, 0, 0.2, 0, 0.5, 2, 0, 0, 0, 0.1, 1, 0.3, 0, 0, 0.4, 1.5;
  Eigen::MatrixXf analytic(12, entries * int(local.size()));
  for (std::size_t t = 0; t < poses.count(); ++t) {
    RowTransform at;
    derivative(poses, t, bone, unit, right, analytic, at);
    int column = 0;
    for (std::size_t j = 0; j < local.size(); ++j) {
      for (int a = 0; a < 4; ++a) {
        for (int b = a; b < 4; ++b, ++column) {
          constexpr double h = 1e-6;
          Eigen::Matrix<double, 3, 4> sides[2];
          for (int side = 0; side < 2; ++side) {
            std::vector<MultiWeight> moved = local;
            moved[j].value(a, b) += side == 0 ? -h : h;
            if (a != b) moved[j].value(b, a) = moved[j].value(a, b);
            sides[side] = direct(poses, t, bone.centre, unit, moved);
          }
          const Eigen::Matrix<double, 3, 4> numeric = at.rotation.transpose() * (sides[1] - sides[0]) / (2 * h) * right;
          for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 4; ++c) {
              EXPECT_NEAR(analytic(4 * r + c, column), numeric(r, c), 1e-4 * (1 + numeric.norm())) << j << a << b;
            }
          }
        }
      }
    }
  }
}

Fit some_fit(const Body& body, const Examples& examples) {
  Fit fit = start_fit(body.points, examples, 12, 4, {});
  update_influences(body.points, examples, {}, fit, {});
  return fit;
}

double total(const Body& body, const Examples& examples, const Fit& fit) {
  double sum = 0;
  for (std::size_t i = 0; i < body.points.count(); ++i) {
    Eigen::VectorXd off = -examples.targets().col(to_index(i));
    for (const Influence& a : fit.row(i)) off += fit.transform(a.bone) * (a.weight * body.points.rest.col(to_index(i)));
    sum += body.points.mass[i] * off.squaredNorm();
  }
  return sum;
}

TEST(DdmCompressionUpdates, GainIsExact) {
  const Body body;
  const PoseExamples examples(body.points, sample_poses(body.rig.skeleton, body.ranges, 20, 2), {});
  Fit fit = some_fit(body, examples);
  const Coupling coupling = couple(body.points, examples, fit, body.points.mass, {});
  const double before = total(body, examples, fit);
  Random random(4);
  for (const std::size_t k : {std::size_t(0), std::size_t(7)}) {
    const Matrix change = Matrix::NullaryExpr(examples.rows(), 4, [&] { return 1e-3 * random.normal(); });
    const double expected =
        gain(coupling.moments.block<4, 4>(4 * to_index(k), 4 * to_index(k)), missing(coupling, fit, k), change);
    Fit moved = fit;
    moved.transform(k) += change;
    EXPECT_NEAR(before - total(body, examples, moved), expected, 1e-9 * before + 1e-6 * std::abs(expected));
  }
}

TEST(DdmCompressionUpdates, EveryRoundOfRefinementLowersTheErrorAndKeepsBonesRound) {
  const Body body;
  const PoseExamples examples(body.points, sample_poses(body.rig.skeleton, body.ranges, 40, 2), {});
  Fit fit = some_fit(body, examples);
  Damping damping;
  double last = total(body, examples, fit);
  const double first = last;
  for (int round = 0; round < 4; ++round) {
    refine_bones(body.points, examples, body.points.mass, damping, fit, {});
    const double now = total(body, examples, fit);
    EXPECT_LE(now, last * (1 + 1e-12));
    last = now;
    for (const VirtualBone& bone : fit.bones) EXPECT_GE(roundness(bone), 0.01);
  }
  EXPECT_LT(last, 0.8 * first);
}

/// C8: the direction is minus half the gradient by Delta'_jk, for the map of every joint at once.
TEST(DdmCompressionUpdates, ThePapersDirectionIsTheGradient) {
  const Body body;
  const LinearExamples examples(body.points, body.rig.skeleton, body.ranges, {}, {});
  Fit fit = some_fit(body, examples);
  const Coupling coupling = couple(body.points, examples, fit, body.points.mass, {});
  const std::size_t k = 5;
  std::vector<std::pair<std::uint32_t, double>> members;
  for (std::size_t i = 0; i < body.points.count(); ++i) {
    for (const Influence& a : fit.row(i)) {
      if (a.bone == k) members.emplace_back(std::uint32_t(i), body.points.mass[i] * a.weight);
    }
  }
  const auto direction = descent_direction(body.points, fit, coupling.moments, coupling.neighbours[k], k, members);
  // The maps act from the left: mapped direction = what is missing.
  Matrix mapped(examples.rows(), 4);
  examples.transform(direction, mapped);
  const Matrix lacking = missing(coupling, fit, k);
  EXPECT_LT((mapped - lacking).norm(), 1e-6 * lacking.norm());
  // And that is minus half of the gradient by T_k.
  for (const Index r : {Index(3), examples.rows() / 2, examples.rows() - 4}) {
    for (Index c = 0; c < 4; ++c) {
      constexpr double h = 1e-4;
      Fit up = fit, down = fit;
      up.transform(k)(r, c) += h;
      down.transform(k)(r, c) -= h;
      const double slope = (total(body, examples, up) - total(body, examples, down)) / (2 * h);
      EXPECT_NEAR(-2 * lacking(r, c), slope, 1e-5 * lacking.norm());
    }
  }
}

TEST(DdmCompressionUpdates, ThePapersUpdateNeverRaisesItsObjective) {
  const Body body;
  const LinearExamples examples(body.points, body.rig.skeleton, body.ranges, {}, {});
  Fit fit = some_fit(body, examples);
  const double first = total(body, examples, fit);
  double last = first;
  for (int round = 0; round < 5; ++round) {
    update_multi_weights(body.points, examples, fit, {});
    const double now = total(body, examples, fit);
    EXPECT_LE(now, last * (1 + 1e-12));
    last = now;
  }
  EXPECT_LT(last, 0.9 * first);
}

/// The best of all supports of at most `most`, each by its KKT system.
double brute_force(const FewWeights& problem, int count, std::size_t most) {
  double best = 1e300;
  for (unsigned set = 1; set < (1u << count); ++set) {
    std::vector<int> on;
    for (int k = 0; k < count; ++k) {
      if ((set >> k) & 1u) on.push_back(k);
    }
    if (on.size() > most) continue;
    const auto size = Index(on.size());
    Matrix kkt = Matrix::Zero(size + 1, size + 1);
    Eigen::VectorXd rhs(size + 1);
    for (Index r = 0; r < size; ++r) {
      for (Index c = 0; c < size; ++c) kkt(r, c) = problem.quadratic(on[std::size_t(r)], on[std::size_t(c)]);
      kkt(r, size) = kkt(size, r) = 1;
      rhs[r] = problem.linear[on[std::size_t(r)]];
    }
    rhs[size] = 1;
    const Eigen::VectorXd x = kkt.fullPivLu().solve(rhs).head(size);
    if (x.minCoeff() < 0) continue;
    const Matrix q = kkt.topLeftCorner(size, size);
    best = std::min(best, x.dot(q * x) - 2 * rhs.head(size).dot(x));
  }
  return best;
}

TEST(DdmCompressionUpdates, WeightsAreTheConvexOptimum) {
  Random random(9);
  FewWeights problem(9);
  int sparse_exact = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const int count = 3 + int(random.index(7));
    const Matrix y = Matrix::NullaryExpr(12, count, [&] { return random.normal() + 0.3; });
    problem.quadratic.topLeftCorner(count, count) = y.transpose() * y;
    problem.linear.setZero();
    if (trial % 2 == 1) {
      for (int k = 0; k < count; ++k) problem.linear[k] = random.normal();
    }
    const double all = problem.solve(std::size_t(count), 16, 0);
    EXPECT_NEAR(all, brute_force(problem, count, 16), 1e-6 * (1 + std::abs(all)));
    double sum = 0;
    for (const double w : problem.weights()) {
      EXPECT_GE(w, 0);
      sum += w;
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    const double few = problem.solve(std::size_t(count), 2, 0), best = brute_force(problem, count, 2);
    EXPECT_LE(problem.used(), 2u);
    EXPECT_GE(few, best - 1e-6 * (1 + std::abs(best)));
    sparse_exact += few < best + 1e-6 * (1 + std::abs(best)) ? 1 : 0;
  }
  // Taking influences away one by one is not always the best pair, but mostly.
  EXPECT_GE(sparse_exact, 40);
}

TEST(DdmCompressionUpdates, AnInfluenceThatDoesNotPayIsLeftOut) {
  FewWeights problem(3);
  problem.quadratic << 1, 0, 0, 0, 1, 0, 0, 0, 1;
  problem.linear.setZero();
  EXPECT_NEAR(problem.solve(3, 3, 0), 1.0 / 3, 1e-6);
  EXPECT_EQ(problem.used(), 3u);
  // 1/3 to 1/2 costs 1/6, 1/2 to 1 costs 1/2.
  EXPECT_NEAR(problem.solve(3, 3, 0.2), 0.5, 1e-6);
  EXPECT_EQ(problem.used(), 2u);
}

}  // namespace
}  // namespace marrow::ddm_compression
