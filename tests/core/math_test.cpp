#include "marrow/math.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "core/random.hpp"
#include "support/expect_error.hpp"
#include "support/shapes.hpp"

namespace marrow {
namespace {

double largest_difference(const Affine& a, const Affine& b) {
  double most = 0;
  for (std::size_t k = 0; k < 12; ++k) most = std::max(most, std::abs(a.m[k] - b.m[k]));
  return most;
}

/// A quarter turn about z, then (1, 2, 3).
constexpr Affine turn{{0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3}};

TEST(Math, IdentityByDefault) {
  EXPECT_EQ(transform(Affine{}, Vec3{1, 2, 3}), (Vec3{1, 2, 3}));
  EXPECT_EQ(determinant(Affine{}), 1);
}

TEST(Math, TransformIsRowMajorWithTranslationLast) {
  EXPECT_EQ(transform(turn, Vec3{10, 20, 30}), (Vec3{-19, 12, 33}));
  EXPECT_EQ(turn(1, 3), 2);
  EXPECT_EQ(transform(Affine::translation(1, 2, 3), Vec3{1, 1, 1}), (Vec3{2, 3, 4}));
}

TEST(Math, PointsAreEvaluatedInDouble) {
  // In float 1e8 + 1 - 1e8 would be 0.
  const Affine a{{1, 0, 0, -1e8, 0, 1, 0, 0, 0, 0, 1, 0}};
  const auto p = transform(a, std::array<double, 3>{1e8 + 1, 0, 0});
  EXPECT_EQ(p[0], 1);
  const Affine b{{1, 1, 0, -1e8, 0, 1, 0, 0, 0, 0, 1, 0}};
  EXPECT_EQ(transform(b, Vec3{1e8f, 1, 0}).x, 1);
}

TEST(Math, ProductAppliesTheRightOneFirst) {
  const Affine shift = Affine::translation(5, 0, 0);
  // turn(shift(0)) = turn(5, 0, 0) = (1, 7, 3); shift(turn(0)) = (6, 2, 3).
  EXPECT_EQ(transform(turn * shift, Vec3{0, 0, 0}), (Vec3{1, 7, 3}));
  EXPECT_EQ(transform(shift * turn, Vec3{0, 0, 0}), (Vec3{6, 2, 3}));
  Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const Affine a = testing::random_affine(random), b = testing::random_affine(random);
    const std::array<double, 3> p{random.normal(), random.normal(), random.normal()};
    const auto together = transform(a * b, p), apart = transform(a, transform(b, p));
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(together[k], apart[k], 1e-14);
  }
}

TEST(Math, DeterminantIsTheVolume) {
  EXPECT_EQ(determinant(Affine{{2, 0, 0, 9, 0, 3, 0, 9, 0, 0, 4, 9}}), 24);
  EXPECT_EQ(determinant(Affine{{0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}}), -1);
  EXPECT_EQ(determinant(Affine{{1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 10, 0}}), -3);
  EXPECT_EQ(determinant(Affine{{1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0}}), 0);
}

TEST(Math, InverseUndoes) {
  const Affine known = inverse(turn);
  EXPECT_EQ(largest_difference(known, Affine{{0, 1, 0, -2, -1, 0, 0, 1, 0, 0, 1, -3}}), 0);
  Random random(4);
  for (int trial = 0; trial < 20; ++trial) {
    const Affine a = testing::random_affine(random);
    if (std::abs(determinant(a)) < 0.05) continue;
    EXPECT_LT(largest_difference(a * inverse(a), Affine{}), 1e-13);
    EXPECT_LT(largest_difference(inverse(a) * a, Affine{}), 1e-13);
  }
}

TEST(Math, InverseOfASingularTransformIsRefused) {
  for (const Affine& flat : {Affine{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}}, Affine{{1, 2, 3, 0, 2, 4, 6, 0, 0, 0, 1, 0}},
                             Affine{{1e-110, 0, 0, 0, 0, 1e-110, 0, 0, 0, 0, 1e-110, 0}}}) {
    testing::expect_error(ErrorCode::bad_input, {"inverse: the transform is singular and has no inverse"},
                          [&] { inverse(flat); });
  }
}

TEST(Math, OrthonormalityDefect) {
  EXPECT_EQ(orthonormality_defect(turn), 0);
  EXPECT_EQ(orthonormality_defect(Affine{{-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}), 0);  // a reflection
  EXPECT_EQ(orthonormality_defect(Affine{{2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}), 3);   // 2^2 - 1
  EXPECT_EQ(orthonormality_defect(Affine{{1, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}), 0.5);
}

TEST(Random, FirstValuesArePinned) {
  // SplitMix64 as published by Steele, Lea and Flood; these five are its well-known check values.
  Random random(1234567);
  EXPECT_EQ(random.bits(), 6457827717110365317u);
  EXPECT_EQ(random.bits(), 3203168211198807973u);
  EXPECT_EQ(random.bits(), 9817491932198370423u);
  EXPECT_EQ(random.bits(), 4593380528125082431u);
  EXPECT_EQ(random.bits(), 16408922859458223821u);
}

TEST(Random, SameSeedSameNumbers) {
  Random a(5), b(5), c(6);
  bool differs = false;
  for (int k = 0; k < 100; ++k) {
    const std::uint64_t value = a.bits();
    EXPECT_EQ(value, b.bits());
    differs |= value != c.bits();
  }
  EXPECT_TRUE(differs);
  Random whole(1234567);
  EXPECT_EQ(whole.uniform(), double(6457827717110365317u >> 11) / 9007199254740992.0);
}

TEST(Random, RangesAndMoments) {
  Random random(7);
  double sum = 0, normal_sum = 0, normal_squares = 0;
  std::set<std::uint64_t> seen;
  constexpr int count = 20'000;
  for (int k = 0; k < count; ++k) {
    const double u = random.uniform(-2, 6), z = random.normal();
    ASSERT_GE(u, -2);
    ASSERT_LT(u, 6);
    ASSERT_TRUE(std::isfinite(z));
    sum += u;
    normal_sum += z;
    normal_squares += z * z;
    seen.insert(random.index(5));
  }
  // Five standard deviations of each mean.
  EXPECT_NEAR(sum / count, 2, 5 * 8 / std::sqrt(12.0 * count));
  EXPECT_NEAR(normal_sum / count, 0, 5 / std::sqrt(count));
  EXPECT_NEAR(normal_squares / count, 1, 5 * std::sqrt(2.0 / count));
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace marrow
