// What a player makes of written files, by a reader that shares nothing with the library.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "core/random.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"
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
using testing::tube_rig;

double box_diagonal(std::span<const Vec3> points) {
  Vec3 low = points[0], high = points[0];
  for (const Vec3& p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return std::hypot(high.x - low.x, high.y - low.y, high.z - low.z);
}

double distance(const IndependentGlb::Point& a, const Vec3& b) {
  return std::hypot(a[0] - b.x, a[1] - b.y, a[2] - b.z);
}

/// Largest distance between what a player shows at the keys, or without animation, and what the rig says; in parts of
/// the size. Copies at seams are compared with their source.
double worst_error(const Rig& rig, const IndependentGlb& glb) {
  const auto copies =
      glb.document()["meshes"][0]["extras"]["marrow"]["source_vertices"].get<std::vector<std::size_t>>();
  double worst = 0;
  const auto judge = [&](const std::vector<IndependentGlb::Point>& played, std::span<const Vec3> truth) {
    ASSERT_EQ(played.size(), rig.vertices() + copies.size());
    for (std::size_t i = 0; i < rig.vertices(); ++i) worst = std::max(worst, distance(played[i], truth[i]));
    for (std::size_t c = 0; c < copies.size(); ++c) {
      worst = std::max(worst, distance(played[rig.vertices() + c], truth[copies[c]]));
    }
  };
  judge(glb.rest(), rig.mesh.positions);
  std::vector<Vec3> truth(rig.vertices());
  EXPECT_EQ(glb.clips(), rig.motion.timeline.clips.size());
  for (std::size_t c = 0; c < glb.clips(); ++c) {
    const Clip& clip = rig.motion.timeline.clips[c];
    const std::vector<double> times = glb.times(c);
    EXPECT_EQ(times.size(), clip.count);
    for (std::size_t t = 0; t < clip.count; ++t) {
      deform(rig, rig.motion.frame(clip.first + t), truth);
      judge(glb.play(c, times[t]), truth);
    }
  }
  return worst / box_diagonal(rig.mesh.positions);
}

/// Writes into the test's folder and reads it back.
IndependentGlb written(const Rig& rig, const GlbOptions& options = {}, const char* name = "rig.glb") {
  const auto file = testing::output_folder() / name;
  write_glb(rig, file, options);
  return IndependentGlb(file);
}

std::set<std::string> animated_paths(const IndependentGlb& glb) {
  std::set<std::string> paths;
  for (const auto& channel : glb.document()["animations"][0]["channels"]) {
    paths.insert(channel["target"]["path"].get<std::string>());
  }
  return paths;
}

Affine turning(std::size_t j, const Vec3& pivot, double s) {
  return Affine::translation(0.1 * s, s, 0) * about(pivot, rotation(1, 0.3, double(j), 5 * s * (1 + double(j % 3))));
}

Affine shearing(std::size_t j, const Vec3& pivot, double s) {
  Affine a;
  a(0, 1) = 0.5 * std::sin(4 * s + double(j));
  a(1, 2) = 0.3 * s;
  return turning(j, pivot, s) * about(pivot, a);
}

TEST(GlbWrite, RigidBonesAreOneNodeEachAndPlayExactly) {
  const Rig rig = tube_rig({}, turning);
  const IndependentGlb glb = written(rig);
  EXPECT_LT(worst_error(rig, glb), 1e-6);
  EXPECT_EQ(glb.document()["nodes"].size(), 1 + rig.bones() + 1);
  EXPECT_EQ(animated_paths(glb), (std::set<std::string>{"translation", "rotation"}));
}

TEST(GlbWrite, ScaledBonesAreOneNodeEachAndPlayExactly) {
  const Rig rig = tube_rig({}, [](std::size_t j, const Vec3& pivot, double s) {
    // Along the bone's own axes, which the bind pose turns.
    const Affine axes = rotation(1, 2, 3, 0.2 * double(j)), back = rotation(1, 2, 3, -0.2 * double(j));
    return turning(j, pivot, s) * about(pivot, axes * scaling(1 + s, 1, 0.2 + s) * back);
  });
  const IndependentGlb glb = written(rig);
  EXPECT_LT(worst_error(rig, glb), 1e-6);
  EXPECT_EQ(glb.document()["nodes"].size(), 1 + rig.bones() + 1);
  EXPECT_TRUE(animated_paths(glb).contains("scale"));
}

TEST(GlbWrite, FlexibleBonesAreTwoNodesAndPlayExactly) {
  const Rig rig = tube_rig({}, shearing);
  const IndependentGlb glb = written(rig);
  EXPECT_LT(worst_error(rig, glb), 3e-6);
  const auto& nodes = glb.document()["nodes"];
  ASSERT_EQ(nodes.size(), 1 + 2 * rig.bones() + 1);
  const std::size_t joint = glb.document()["skins"][0]["joints"][1];
  EXPECT_EQ(nodes[joint]["name"], "bone1");
  EXPECT_EQ(nodes[joint - 1]["name"], "bone1_stretch");
  EXPECT_EQ(nodes[joint - 1]["children"], nlohmann::json::array({joint}));
}

TEST(GlbWrite, OnlyBonesThatNeedHelpersGetThem) {
  const Rig rig = tube_rig({.bones = 4}, [](std::size_t j, const Vec3& pivot, double s) {
    return j == 2 ? shearing(j, pivot, s) : turning(j, pivot, s);
  });
  const IndependentGlb glb = written(rig);
  EXPECT_LT(worst_error(rig, glb), 3e-6);
  EXPECT_EQ(glb.document()["nodes"].size(), 1 + 5 + 1);
}

TEST(GlbWrite, ShearOfTheBindPoseIsKept) {
  Rig rig = tube_rig({}, turning);
  rig.skeleton.bind[1](0, 1) += 0.4;
  EXPECT_LT(worst_error(rig, written(rig)), 3e-6);
}

TEST(GlbWrite, SmallShearIsNotLost) {
  // A few times what may be dropped.
  const Rig rig = tube_rig({}, [](std::size_t j, const Vec3& pivot, double s) {
    Affine a;
    a(1, 0) = 1.6e-5;
    return turning(j, pivot, s) * about(pivot, a);
  });
  EXPECT_LT(worst_error(rig, written(rig)), 1e-6);
}

TEST(GlbWrite, ReflectedBonesPlayExactly) {
  const Rig rig = tube_rig({}, [](std::size_t j, const Vec3& pivot, double s) {
    return turning(j, pivot, s) * about(pivot, scaling(1, j == 1 ? -1 : 1, 1 + s));
  });
  EXPECT_LT(worst_error(rig, written(rig)), 3e-6);
}

TEST(GlbWrite, SingularFramesPlayExactly) {
  // Through flat to reflected, through a line, through a point.
  const Rig rig = tube_rig({}, [](std::size_t j, const Vec3& pivot, double s) {
    const double u = 1 - 2 * s, v = j > 0 ? u : 1, w = j > 1 ? u : 1;
    return about(pivot, rotation(1, 1, 0.2, 2 * s) * scaling(u, v, w) * rotation(0, 1, 0.2, 0.7));
  });
  EXPECT_LT(worst_error(rig, written(rig)), 3e-6);
}

TEST(GlbWrite, HierarchyIsKeptAndPlaysExactly) {
  for (const bool flexible : {false, true}) {
    const Rig rig = tube_rig({.bones = 5, .influences = 3, .chain = true}, flexible ? shearing : turning);
    const IndependentGlb glb = written(rig);
    EXPECT_LT(worst_error(rig, glb), 3e-6);
    const auto& nodes = glb.document()["nodes"];
    const auto joints = glb.document()["skins"][0]["joints"].get<std::vector<std::size_t>>();
    const std::size_t step = flexible ? 2 : 1;
    EXPECT_EQ(nodes[0]["children"], nlohmann::json::array({joints[0] - step + 1}));
    for (std::size_t j = 0; j + 1 < rig.bones(); ++j) {
      EXPECT_EQ(nodes[joints[j]]["children"], nlohmann::json::array({joints[j + 1] - step + 1}));
    }
  }
}

TEST(GlbWrite, RoundingDoesNotAddUpAlongAChain) {
  const Rig rig = tube_rig({.rings = 80, .bones = 150, .frames = 3, .chain = true}, turning);
  // Without care for it, 7e-7.
  EXPECT_LT(worst_error(rig, written(rig)), 3e-7);
}

TEST(GlbWrite, BonesBelowAFlattenedParentMoveUp) {
  const auto folder = testing::output_folder();
  for (const double flattest : {0.0, 1e-9, 1e-4}) {
    const Rig rig = tube_rig({.bones = 3, .chain = true}, [&](std::size_t j, const Vec3& pivot, double s) {
      return j == 1 ? about(pivot, scaling(1, 1 - (1 - flattest) * s, 1)) : turning(j, pivot, s);
    });
    std::vector<std::string> warnings;
    const marrow::Run run{.log = [&](LogLevel, std::string_view text) { warnings.emplace_back(text); }};
    const auto file = folder / (std::to_string(flattest) + ".glb");
    write_glb(rig, file, {}, run);
    EXPECT_LT(worst_error(rig, IndependentGlb(file)), 3e-6) << flattest;
    ASSERT_EQ(warnings.size(), 1u) << flattest;
    EXPECT_NE(warnings[0].find("\"bone2\""), std::string::npos);
  }
}

TEST(GlbWrite, AnyNumberOfInfluences) {
  const auto folder = testing::output_folder();
  for (std::size_t influences = 1; influences <= 13; ++influences) {
    const Rig rig = tube_rig({.bones = 14, .influences = influences, .frames = 3}, turning);
    const auto file = folder / (std::to_string(influences) + ".glb");
    write_glb(rig, file);
    const IndependentGlb glb(file);
    EXPECT_LT(worst_error(rig, glb), 1e-6) << influences;
    const std::size_t sets = (influences + 3) / 4;
    EXPECT_FALSE(glb.attribute("WEIGHTS_" + std::to_string(sets - 1)).empty());
    EXPECT_TRUE(glb.attribute("WEIGHTS_" + std::to_string(sets)).empty());
  }
}

TEST(GlbWrite, LargestWeightsComeFirstAndSumToOne) {
  Rig rig = tube_rig({.rings = 40, .bones = 7, .influences = 6, .frames = 1}, turning);
  Random random(5);
  for (std::size_t i = 0; i < rig.vertices(); ++i) {
    // As far from 1 as a valid rig may be; vertex 0 has ties.
    const double slip = random.uniform(-9e-6, 9e-6);
    std::vector<double> row(6);
    for (double& w : row) w = i == 0 ? 1 : random.uniform(0.001, 1);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (std::size_t k = 0; k < 6; ++k) {
      rig.weights.values[rig.weights.offsets[i] + k] = float(row[k] / sum * (1 + slip));
    }
  }
  const IndependentGlb glb = written(rig);
  const auto low = glb.attribute("WEIGHTS_0"), high = glb.attribute("WEIGHTS_1");
  const auto low_joints = glb.attribute("JOINTS_0"), high_joints = glb.attribute("JOINTS_1");
  for (std::size_t i = 0; i < rig.vertices(); ++i) {
    std::vector<double> weights(low.begin() + 4 * i, low.begin() + 4 * i + 4);
    weights.insert(weights.end(), high.begin() + 4 * i, high.begin() + 4 * i + 4);
    std::vector<double> joints(low_joints.begin() + 4 * i, low_joints.begin() + 4 * i + 4);
    joints.insert(joints.end(), high_joints.begin() + 4 * i, high_joints.begin() + 4 * i + 4);
    // Half a step of a float below 1.
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 3e-8);
    EXPECT_EQ(std::set<double>(joints.begin(), joints.begin() + 6).size(), 6u);
    EXPECT_EQ(weights[6], 0);
    EXPECT_EQ(joints[6], 0);
    EXPECT_EQ(joints[7], 0);
    if (i == 0) {
      EXPECT_TRUE(std::is_sorted(joints.begin(), joints.begin() + 6));
    } else {
      EXPECT_TRUE(std::is_sorted(weights.rbegin() + 2, weights.rend()));
    }
  }
}

TEST(GlbWrite, ManyBonesNeedWideJoints) {
  for (const std::size_t bones : {256u, 300u}) {
    const Rig rig = tube_rig({.rings = 90, .bones = bones, .frames = 2}, turning);
    const IndependentGlb glb = written(rig);
    EXPECT_LT(worst_error(rig, glb), 1e-6);
    const std::size_t accessor = glb.primitive()["attributes"]["JOINTS_0"];
    EXPECT_EQ(glb.document()["accessors"][accessor]["componentType"], bones <= 256 ? 5121 : 5123);
  }
}

TEST(GlbWrite, EveryClipIsAnAnimationWithAllItsTimes) {
  Rig rig = tube_rig({.frames = 5, .clips = 3}, shearing);
  rig.motion.timeline.times[4] += 0.25;
  const IndependentGlb glb = written(rig);
  EXPECT_LT(worst_error(rig, glb), 3e-6);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(glb.document()["animations"][c]["name"], rig.motion.timeline.clips[c].name);
    const std::vector<double> times = glb.times(c);
    ASSERT_EQ(times.size(), 5u);
    for (std::size_t t = 0; t < 5; ++t) {
      EXPECT_EQ(times[t], float(rig.motion.timeline.times[5 * c + t]));
    }
  }
}

TEST(GlbWrite, StillBonesKeepAllKeys) {
  const Rig rig = tube_rig({.frames = 7}, [](std::size_t, const Vec3&, double) { return Affine(); });
  const IndependentGlb glb = written(rig);
  EXPECT_EQ(glb.times(0).size(), 7u);
  EXPECT_LT(worst_error(rig, glb), 1e-6);
}

TEST(GlbWrite, ARigWithoutFramesHasNoAnimation) {
  const Rig rig = tube_rig({.frames = 0, .clips = 0}, turning);
  const IndependentGlb glb = written(rig);
  EXPECT_FALSE(glb.document().contains("animations"));
  EXPECT_LT(worst_error(rig, glb), 1e-6);
}

TEST(GlbWrite, QuaternionsOfNeighbouringKeysAreOnOneSide) {
  const Rig rig = tube_rig({.bones = 2, .frames = 30}, shearing);
  const IndependentGlb glb = written(rig);
  for (const auto& channel : glb.document()["animations"][0]["channels"]) {
    if (channel["target"]["path"] != "rotation") continue;
    const std::size_t sampler = channel["sampler"];
    const auto q = glb.numbers(glb.document()["animations"][0]["samplers"][sampler]["output"]);
    for (std::size_t k = 4; k < q.size(); k += 4) {
      EXPECT_GE(std::inner_product(q.begin() + k, q.begin() + k + 4, q.begin() + k - 4, 0.0), 0);
    }
  }
}

TEST(GlbWrite, FarFromTheOriginItIsAsGoodAsFloatsAre) {
  Rig rig = tube_rig({.chain = true}, turning);
  const Affine away = Affine::translation(100, -50, 70), back = Affine::translation(-100, 50, -70);
  for (Vec3& p : rig.mesh.positions) p = transform(away, p);
  for (Affine& a : rig.skeleton.bind) a = away * a;
  for (Affine& a : rig.motion.transforms) a = away * a * back;
  const IndependentGlb glb = written(rig);
  EXPECT_LT(worst_error(rig, glb), 1e-5);
  EXPECT_EQ(glb.document()["nodes"].size(), 1 + rig.bones() + 1);
}

TEST(GlbWrite, BytesDoNotDependOnThreads) {
  const Rig rig = tube_rig({.bones = 4, .frames = 4, .clips = 2}, shearing);
  const auto folder = testing::output_folder();
  write_glb(rig, folder / "one.glb", {}, {.threads = 1});
  write_glb(rig, folder / "three.glb", {}, {.threads = 3});
  EXPECT_EQ(testing::read_bytes(folder / "one.glb"), testing::read_bytes(folder / "three.glb"));
}

TEST(GlbWrite, SaysWhoWroteIt) {
  const IndependentGlb glb = written(tube_rig({}, turning));
  EXPECT_EQ(glb.document()["asset"]["version"], "2.0");
  EXPECT_EQ(glb.document()["asset"]["generator"].get<std::string>().substr(0, 7), "marrow ");
  EXPECT_TRUE(glb.document()["asset"]["extras"].contains("marrow"));
  EXPECT_EQ(glb.document()["nodes"][0]["name"], "marrow_root");
  EXPECT_EQ(glb.document()["skins"][0]["skeleton"], 0);
}

TEST(GlbWrite, NamesOfBonesAreKeptAndHelpersHaveTheirOwn) {
  Rig rig = tube_rig({}, shearing);
  rig.skeleton.names = {"arm", "arm_stretch", "Knochen \xC3\xA4\xFF"};
  const IndependentGlb glb = written(rig);
  std::set<std::string> names;
  for (const auto& node : glb.document()["nodes"]) EXPECT_TRUE(names.insert(node["name"].get<std::string>()).second);
  EXPECT_TRUE(names.contains("arm"));
  EXPECT_TRUE(names.contains("arm_stretch"));
  EXPECT_TRUE(names.contains("Knochen \xC3\xA4\xEF\xBF\xBD"));  // what is not UTF-8 is replaced
}

}  // namespace
}  // namespace marrow
