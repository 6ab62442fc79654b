// What a player shows between the keys of flexible bones.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>
#include <string>

#include "core/random.hpp"
#include "marrow/deform.hpp"
#include "marrow/io.hpp"
#include "support/files.hpp"
#include "support/independent_glb.hpp"
#include "support/rigs.hpp"

namespace marrow {
namespace {

using testing::about;
using testing::IndependentGlb;
using testing::rotation;
using testing::scaling;

struct Wrongness {
  double player = 0, matrices = 0;  ///< RMS distance from the true frames between the keys, in model units
};

/// Writes every second frame and judges what comes between by the frames left out: as played, and with the matrices
/// of the neighbouring frames averaged.
Wrongness between_keys(const Rig& rig, const std::filesystem::path& file) {
  write_glb(testing::even_frames(rig), file);
  const IndependentGlb glb(file);
  Wrongness sum;
  std::size_t count = 0;
  std::vector<Vec3> truth(rig.vertices()), averaged(rig.vertices());
  for (std::size_t t = 1; t + 1 < rig.frames(); t += 2) {
    deform(rig, rig.motion.frame(t), truth);
    std::vector<Affine> pose;
    for (std::size_t j = 0; j < rig.bones(); ++j) {
      pose.push_back(testing::mixed(rig.motion.frame(t - 1)[j], rig.motion.frame(t + 1)[j], 0.5));
    }
    deform(rig, pose, averaged);
    const auto played = glb.play(0, rig.motion.timeline.times[t]);
    for (std::size_t i = 0; i < rig.vertices(); ++i, ++count) {
      sum.player +=
          std::pow(std::hypot(played[i][0] - truth[i].x, played[i][1] - truth[i].y, played[i][2] - truth[i].z), 2);
      sum.matrices +=
          std::pow(std::hypot(averaged[i].x - truth[i].x, averaged[i].y - truth[i].y, averaged[i].z - truth[i].z), 2);
    }
  }
  return {std::sqrt(sum.player / double(count)), std::sqrt(sum.matrices / double(count))};
}

struct Case {
  std::string name;
  testing::BoneMotion motion;
  double bound = 2;  ///< lower where the right choice of signs and axes makes it so
};

void PrintTo(const Case& tested, std::ostream* out) {
  *out << tested.name;
}

/// A stretch by `amount` along the direction at `angle` in a tilted plane.
Affine stretch_along(double angle, double amount) {
  const Affine turn = rotation(1, 2, 0.5, 0.7) * rotation(0, 0, 1, angle);
  return turn * scaling(amount, 1, 1) * rotation(0, 0, 1, -angle) * rotation(1, 2, 0.5, -0.7);
}

/// Smooth in s, different for every seed and entry, of size about 1.
double wobble(std::uint64_t seed, double s) {
  Random random(seed);
  double sum = 0;
  for (int k = 1; k <= 3; ++k) sum += std::sin(k * 2.1 * s + random.uniform(0, 6.28)) / k;
  return sum;
}

Affine near_identity(std::uint64_t seed, double s, double amount) {
  Affine a;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t k = 0; k < 3; ++k) a(r, k) += amount * wobble(100 * seed + 10 * r + k, s);
  }
  return a;
}

class GlbWriteBetweenKeys : public ::testing::TestWithParam<Case> {};

TEST_P(GlbWriteBetweenKeys, PlayersAreAtMostTwiceAsWrongAsMatrices) {
  const Rig rig = testing::tube_rig({.bones = 2, .frames = 41}, GetParam().motion);
  const Wrongness wrong = between_keys(rig, testing::output_folder() / "flexible.glb");
  EXPECT_GT(wrong.matrices, 1e-7);
  EXPECT_LE(wrong.player, GetParam().bound * wrong.matrices);
}

const Case cases[] = {
    {"TurnAndStretch",
     [](std::size_t j, const Vec3& pivot, double s) {
       const double turn = 1.5 * s * (1 + double(j)), stretch = 1 + 0.8 * std::sin(3 * s);
       return about(pivot, rotation(1, 0.3, 0, turn) * stretch_along(0.4 + double(j), stretch));
     }},
    {"StretchAxisTurns",
     [](std::size_t j, const Vec3& pivot, double s) { return about(pivot, stretch_along(6 * s + double(j), 2.5)); }},
    {"WeakStretchAxisTurnsFast",
     [](std::size_t j, const Vec3& pivot, double s) {
       return about(pivot, rotation(0, 1, 0, 2 * s) * stretch_along(9 * s + double(j), 1.05));
     }},
    {"ThroughTheIdentity",
     [](std::size_t j, const Vec3& pivot, double s) {
       const double u = 2 * s - 1;
       return about(pivot, rotation(0, 1, 0.2, 1.2 * u) * stretch_along(double(j), std::exp(0.9 * u)));
     }},
    {"ThroughTheIdentityAndOn",
     [](std::size_t j, const Vec3& pivot, double s) {
       Affine a = near_identity(j, s, 0.5);
       const Affine b = near_identity(j, 0.5, 0.5);
       for (std::size_t k = 0; k < 12; ++k) a.m[k] -= b.m[k];
       for (std::size_t k = 0; k < 3; ++k) a(k, k) += 1;
       return about(pivot, a);
     }},
    {"RigidWithSmallNoise",
     [](std::size_t j, const Vec3& pivot, double s) {
       Random random(std::uint64_t(1000 * s) + 7919 * j);
       Affine noise;
       for (std::size_t r = 0; r < 3; ++r) {
         for (std::size_t k = 0; k < 3; ++k) noise(r, k) += 1e-4 * random.normal();
       }
       return about(pivot, rotation(1, 1, 0.1, 3 * s) * noise);
     }},
    {"TurnWithSmallWobble",
     [](std::size_t j, const Vec3& pivot, double s) {
       return about(pivot, rotation(0.2, 1, 0.1, 4 * s) * near_identity(j, 4 * s, 0.01));
     }},
    {"TurnWithWobble",
     [](std::size_t j, const Vec3& pivot, double s) {
       return about(pivot, rotation(0.2, 1, 0.1, 4 * s) * near_identity(j, 2 * s, 0.15));
     }},
    {"StrongWobble",
     [](std::size_t j, const Vec3& pivot, double s) { return about(pivot, near_identity(j, 2 * s, 0.5)); }},
    {"Shear",
     [](std::size_t j, const Vec3& pivot, double s) {
       Affine a;
       a(0, 1) = std::sin(4 * s + double(j));
       return about(pivot, rotation(0, 0, 1, 2 * s) * a);
     }},
    {"ReflectedTurn",
     [](std::size_t j, const Vec3& pivot, double s) {
       return about(pivot, rotation(1, 0.3, 0, 3 * s + double(j)) * scaling(1, -1, 1));
     },
     0.1},
    {"ThroughFlat",
     [](std::size_t j, const Vec3& pivot, double s) {
       return about(pivot, rotation(1, 0.3, 0, s) * stretch_along(double(j), 1 - 2.3 * std::sin(2 * s)));
     }},
    {"ThroughFlatAndFarBeyond",
     [](std::size_t j, const Vec3& pivot, double s) {
       const double through = std::cos(2.2 * s), other = 0.6 + 0.2 * std::sin(3 * s);
       const Affine tilt = rotation(1, 2, 0.5, 0.7 + double(j)), back = rotation(1, 2, 0.5, -0.7);
       return about(pivot, rotation(1, 0.3, 0, s) * tilt * scaling(3 * through, other, 1.7) * back);
     },
     1},
    {"SwellAndTurn",
     [](std::size_t j, const Vec3& pivot, double s) {
       const double size = 1.5 + std::sin(4 * s + double(j));
       return about(pivot, rotation(0, 1, 1, 3 * s) * scaling(size, size, size) * near_identity(j, s, 0.02));
     }},
};
INSTANTIATE_TEST_SUITE_P(, GlbWriteBetweenKeys, ::testing::ValuesIn(cases),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace marrow
