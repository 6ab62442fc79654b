#include "ddm/smoother.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "awkward.hpp"
#include "core/polar.hpp"
#include "ddm/reach.hpp"

namespace marrow::ddm {
namespace {

using marrow::testing::awkward_rigs;
using marrow::testing::bumpy;
using marrow::testing::on_random_bones;

struct System {
  explicit System(const Rig& rig, const DdmOptions& options = {})
      : surface(weld(rig)),
        l(laplacian(surface)),
        mass(smoothing_mass(rig, surface, l, options, Part::rotation)),
        smoother(surface, l, mass) {}

  Eigen::MatrixXd dense_step() const {
    const Eigen::MatrixXd m = mass.asDiagonal();
    return (m + Eigen::MatrixXd(l)).inverse() * m;
  }

  WeldedSurface surface;
  SparseMatrix l;
  Eigen::VectorXd mass;
  Smoother smoother;
};

TEST(DdmSmoother, TheMassOfAPointIsItsAreaOverTheTimeThatItsDistanceSays) {
  // A strip 6 wide that runs along a bone from (0, 0, 0) to (10, 0, 0) at a height of 4: every point is 5 away from it.
  Rig rig;
  for (std::uint32_t k = 0; k <= 10; ++k) {
    for (const float y : {-3.0F, 3.0F}) rig.mesh.positions.push_back({float(k), y, 4});
    if (k < 10) testing::add_face(rig.mesh, {2 * k, 2 * k + 2, 2 * k + 3, 2 * k + 1});
  }
  rig.mesh.positions.push_back({10, 0, -4});  // alone, so that the bone's end moves something
  const auto n = std::uint32_t(rig.vertices());
  // A third bone, which nothing follows, is no part of the body: it would come within 4 of the strip.
  rig.skeleton = {
      {"bone", "end", "target"}, {-1, 0, 0}, {Affine{}, Affine::translation(10, 0, 0), Affine::translation(5, 0, 4)}};
  rig.weights.offsets = {0};
  for (std::uint32_t i = 0; i < n; ++i) {
    rig.weights.bones.push_back(i + 1 < n ? 0 : 1);
    rig.weights.values.push_back(1);
    rig.weights.offsets.push_back(i + 1);
  }
  rig.motion = {Timeline::uniform(1, 30), 3, std::vector<Affine>(3)};
  const WeldedSurface surface = weld(rig);
  const SparseMatrix l = laplacian(surface);
  const DdmOptions options{.rotation_reach = 0.4, .translation_reach = 0, .steps = 3};
  const Eigen::VectorXd mass = smoothing_mass(rig, surface, l, options, Part::rotation);
  // Deviation 0.4 x 5 = 2, time 2^2 / (2 x 3); a point inside has half of two quads of 6 x 1, however they are cut.
  EXPECT_NEAR(mass[4] + mass[5], 6.0 / (4.0 / 6), 1e-9);
  // Reach 0: as good as infinite, whatever the area.
  const Eigen::VectorXd none = smoothing_mass(rig, surface, l, options, Part::translation);
  for (Eigen::Index i = 0; i + 1 < none.size(); ++i) EXPECT_NEAR(none[i] / l.coeff(i, i), 1e9, 1);
}

TEST(DdmSmoother, KeepsConstantsAndStaysBetweenTheLeastAndTheMost) {
  for (const DdmOptions& options :
       {DdmOptions{}, DdmOptions{.rotation_reach = 3}, DdmOptions{.smoothing = DdmSmoothing::uniform, .lambda = 100}}) {
    for (const auto& [name, rig] : awkward_rigs()) {
      const System system(rig, options);
      const auto n = Eigen::Index(system.surface.count());
      Random random(7);
      Eigen::MatrixXd values(n, 2);
      values.col(0).setConstant(1.0);
      for (Eigen::Index i = 0; i < n; ++i) values(i, 1) = random.uniform();
      for (int s = 0; s < 10; ++s) system.smoother.step(values);
      EXPECT_LT((values.col(0).array() - 1).abs().maxCoeff(), 1e-12) << name;
      EXPECT_GE(values.col(1).minCoeff(), 0) << name;
      EXPECT_LE(values.col(1).maxCoeff(), 1) << name;
    }
  }
}

TEST(DdmSmoother, EqualsTheDenseInverse) {
  const System system(on_random_bones(bumpy(7)));
  const auto n = Eigen::Index(system.surface.count());
  Eigen::MatrixXd values = Eigen::MatrixXd::Identity(n, n);
  system.smoother.step(values);
  EXPECT_LT((values - system.dense_step()).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(DdmSmoother, TheLaplacianIsWhatItShouldBe) {
  for (const auto& [name, rig] : awkward_rigs()) {
    const Eigen::MatrixXd l = laplacian(weld(rig));
    EXPECT_EQ((l - l.transpose()).cwiseAbs().maxCoeff(), 0) << name;
    EXPECT_LT(l.rowwise().sum().cwiseAbs().maxCoeff(), 1e-9) << name;
    EXPECT_LE((l - Eigen::MatrixXd(l.diagonal().asDiagonal())).maxCoeff(), 0) << name;
  }
  // A right angle with equal legs: half a cotangent of 45 degrees for each leg, none (but the least) for the long side.
  const Eigen::MatrixXd l =
      laplacian(weld(on_random_bones(marrow::testing::from({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}))));
  EXPECT_NEAR(l(0, 1), -0.5, 1e-12);
  EXPECT_NEAR(l(0, 2), -0.5, 1e-12);
  EXPECT_NEAR(l(1, 2), -1e-3, 1e-12);
}

TEST(DdmSmoother, WorkingOnlyWhereWeightsAreGivesTheSame) {
  const Rig rig = on_random_bones(bumpy(25));
  for (const double reach : {0.02, 0.2, 2.0}) {
    const System system(rig, {.rotation_reach = reach});
    const auto n = Eigen::Index(system.surface.count());
    constexpr double least = 1e-6;
    LocalSmoother<1> local(system.smoother, least);
    Eigen::MatrixXd everywhere = Eigen::MatrixXd::Zero(n, 1);
    for (std::uint32_t i = 100; i < 130; ++i) {
      local.add(i, LocalSmoother<1>::Values(1.0));
      everywhere(i, 0) = 1;
    }
    for (int s = 0; s < 4; ++s) {
      local.step();
      system.smoother.step(everywhere);
    }
    Eigen::VectorXd found = Eigen::VectorXd::Zero(n);
    std::size_t count = 0;
    local.for_each([&](std::uint32_t i, const auto& v) {
      found[i] = v[0];
      ++count;
    });
    EXPECT_LT((found - everywhere.col(0)).cwiseAbs().maxCoeff(), 4 * least * 2) << reach;
    if (reach < 0.1) {
      EXPECT_LT(count, 200u) << "a short reach touches few points";
    }
    local.clear();
    std::size_t left = 0;
    local.for_each([&](std::uint32_t, const auto&) { ++left; });
    EXPECT_EQ(left, 0u);
  }
}

TEST(DdmSmoother, WeldsSeamsButNotWhatFollowsOtherBones) {
  Rig rig = on_random_bones(bumpy(4));
  const std::size_t n = rig.vertices();
  // A copy of vertex 5 with its weights, and one of vertex 6 with others.
  const auto repeat = [&](std::uint32_t i, bool same_weights) {
    rig.mesh.positions.push_back(rig.mesh.positions[i]);
    const auto bones = rig.weights.row_bones(i);
    const auto values = rig.weights.row_values(i);
    const std::vector<std::uint32_t> bone_copy(bones.begin(), bones.end());
    const std::vector<float> value_copy(values.begin(), values.end());
    if (same_weights) {
      rig.weights.bones.insert(rig.weights.bones.end(), bone_copy.begin(), bone_copy.end());
      rig.weights.values.insert(rig.weights.values.end(), value_copy.begin(), value_copy.end());
    } else {
      rig.weights.bones.push_back(bone_copy[0] == 0 ? 1 : 0);
      rig.weights.values.push_back(1);
    }
    rig.weights.offsets.push_back(std::uint32_t(rig.weights.bones.size()));
  };
  repeat(5, true);
  repeat(6, false);
  const WeldedSurface surface = weld(rig);
  EXPECT_EQ(surface.count(), n + 1);
  EXPECT_EQ(surface.point_of[n], surface.point_of[5]);
  EXPECT_NE(surface.point_of[n + 1], surface.point_of[6]);
}

TEST(DdmPolar, FindsTheNearestProperRotation) {
  Random random(3);
  const auto any = [&] {
    Eigen::Matrix3d m;
    for (double& v : m.reshaped()) v = random.normal();
    return m;
  };
  for (int k = 0; k < 2000; ++k) {
    Eigen::Matrix3d q = any();
    if (k % 4 == 1) q.col(2) = q.col(0) + q.col(1);         // flat
    if (k % 4 == 2) q = 1e-12 * q;                          // tiny
    if (k % 8 == 7) q.col(1) = 1e-9 * q.col(1) + q.col(0);  // nearly a line in two columns
    const Eigen::Matrix3d r = nearest_rotation(q);
    EXPECT_LT((r.transpose() * r - Eigen::Matrix3d::Identity()).norm(), 1e-12);
    EXPECT_GT(r.determinant(), 0);
    // No other rotation is nearer: tr(R^T Q) is the sum of the singular values, the last with the sign of det(Q).
    const Eigen::Vector3d s = q.jacobiSvd().singularValues();
    const double best = s[0] + s[1] + std::copysign(s[2], q.determinant());
    EXPECT_NEAR((r.transpose() * q).trace(), best, 1e-9 * s[0]) << k;
  }
  EXPECT_EQ(nearest_rotation(Eigen::Matrix3d::Zero()), Eigen::Matrix3d::Identity());
  const Eigen::Matrix3d mirror = Eigen::Vector3d(1, 2, -3).asDiagonal();
  EXPECT_GT(nearest_rotation(mirror).determinant(), 0);
  EXPECT_NEAR((nearest_rotation(-Eigen::Matrix3d::Identity()).transpose() * -Eigen::Matrix3d::Identity()).trace(), 1,
              1e-9);
}

}  // namespace
}  // namespace marrow::ddm
