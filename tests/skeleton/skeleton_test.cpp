#include "marrow/skeleton.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "core/eigen_affine.hpp"
#include "decomposition/sound.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"
#include "marrow/io.hpp"
#include "marrow/metrics.hpp"
#include "marrow/synthetic.hpp"
#include "metrics/tree_difference.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/glb_builder.hpp"
#include "support/independent_glb.hpp"
#include "support/quality.hpp"

namespace marrow {
namespace {

using Eigen::Vector3d;
using testing::expect_error;

void expect_tree(const Rig& truth, const Rig& found) {
  const TreeDifference difference = tree_difference(truth, found);
  EXPECT_EQ(difference.joints, truth.bones() - 1);
  EXPECT_TRUE(difference.missing.empty()) << fmt::format("not joined: {}", fmt::join(difference.missing, ", "));
  EXPECT_LT(difference.worst, 0.01) << "joint of " << difference.where;
}

/// What must hold for every skeleton: rotations only, joints that stay together, in every frame.
void expect_hard(const Rig& rig) {
  validate(rig);
  double worst = 0;
  for (std::size_t t = 0; t < rig.frames(); ++t) {
    for (std::size_t j = 0; j < rig.bones(); ++j) {
      const Affine& m = rig.motion.frame(t)[j];
      ASSERT_LT(orthonormality_defect(m), 1e-12);
      ASSERT_GT(determinant(m), 0);
      if (rig.skeleton.parents[j] < 0) continue;
      const Affine& above = rig.motion.frame(t)[std::size_t(rig.skeleton.parents[j])];
      const Affine joint =
          Affine::translation(rig.skeleton.bind[j](0, 3), rig.skeleton.bind[j](1, 3), rig.skeleton.bind[j](2, 3));
      worst = std::max(worst, (translation_part(m * joint) - translation_part(above * joint)).norm());
    }
  }
  EXPECT_LT(worst, 1e-12 * size_of(rig.mesh.positions));
}

TEST(Skeleton, FindsTheTreeAndTheJointsOfSyntheticBodies) {
  MARROW_JUDGES_QUALITY();
  const synthetic::Options small{.vertices = 400, .frames = 15}, clean{.vertices = 1000, .frames = 30},
      noisy{.vertices = 1200, .frames = 30, .noise = 0.002}, walk{.vertices = 1200, .frames = 30, .noise = 0.0015},
      noisy_walk{.vertices = 1500, .frames = 45, .noise = 0.002, .seed = 3};
  struct Case {
    Rig truth;
    synthetic::Options options;
    Effort effort = Effort::normal;
  };
  for (const Case& c : {Case{synthetic::arm(small), small, Effort::best}, Case{synthetic::arm(noisy), noisy},
                        Case{synthetic::quadruped(clean), clean}, Case{synthetic::poses(noisy), noisy},
                        Case{synthetic::quadruped(walk), walk}, Case{synthetic::quadruped(noisy_walk), noisy_walk}}) {
    SCOPED_TRACE(fmt::format("{} bones, noise {}", c.truth.bones(), c.options.noise));
    const Sequence sequence = synthetic::observe(c.truth, c.options);
    const Rig found = extract_skeleton(sequence, {.bones = c.truth.bones(), .effort = c.effort}).value;
    expect_hard(found);
    expect_tree(c.truth, found);
  }
}

TEST(Skeleton, AutoKeepsAsManyBonesAsTheBodyHas) {
  MARROW_JUDGES_QUALITY();
  const synthetic::Options options{.vertices = 600, .frames = 20, .noise = 0.0005};
  const Rig truth = synthetic::poses(options);
  const Rig found =
      extract_skeleton(synthetic::observe(truth, options), {.bones = 0, .most_bones = 30, .effort = Effort::fast})
          .value;
  EXPECT_NEAR(double(working_bones(found).size()), double(truth.bones()), 2);
}

/// A small case for rules that hold for any.
class SkeletonOfArm : public ::testing::Test {
 protected:
  const Rig truth_ = synthetic::arm({.vertices = 400, .frames = 12});
  const Sequence sequence_ = bake(truth_);
  SkeletonOptions options_{.bones = 6, .effort = Effort::fast};
};

TEST_F(SkeletonOfArm, EveryMethodGivesHardJoints) {
  for (const auto& [method, name, help] : skeleton_method_names()) {
    SCOPED_TRACE(name);
    options_.method = method;
    const Rig rig = extract_skeleton(sequence_, options_).value;
    expect_hard(rig);
    EXPECT_EQ(working_bones(rig).size(), 6u);
    EXPECT_LE(rig.weights.max_influences(), 4u);
    EXPECT_EQ(std::ranges::count(rig.skeleton.parents, -1), 1);
    EXPECT_EQ(rig.skeleton.names[0], "root");
    EXPECT_LT(compare(sequence_, rig).e_rms, 60);
  }
}

TEST_F(SkeletonOfArm, ThreadsDoNotChangeTheResult) {
  const Sequence few = slice(sequence_, 2, 5);
  options_.effort = Effort::normal;
  options_.most_bones = 6;
  for (const auto& [bones, threads] : {std::pair{std::size_t(5), 2}, std::pair{std::size_t(0), 7}}) {
    options_.bones = bones;
    EXPECT_EQ(extract_skeleton(few, options_, {.threads = 1}).value,
              extract_skeleton(few, options_, {.threads = threads}).value);
  }
}

TEST_F(SkeletonOfArm, BonesPointAlongThemselvesAndEndsStandAtTheirEnds) {
  const Rig rig = extract_skeleton(sequence_, options_).value;
  std::size_t ends = 0, measured = 0;
  for (std::size_t j = 0; j < rig.bones(); ++j) {
    EXPECT_LT(orthonormality_defect(rig.skeleton.bind[j]), 1e-12);
    if (!rig.skeleton.names[j].ends_with("_end")) continue;
    ++ends;
    EXPECT_FALSE(working_bones(rig).contains(j));
    const Affine& above = rig.skeleton.bind[std::size_t(rig.skeleton.parents[j])];
    const Vector3d along = translation_part(rig.skeleton.bind[j]) - translation_part(above);
    EXPECT_GT(along.normalized().dot(linear_part(above).col(1)), 1 - 1e-9);
    double reach = 0;
    for (std::size_t i = 0; i < rig.vertices(); ++i) {
      const auto bones = rig.weights.row_bones(i);
      const auto place = std::ranges::find(bones, std::uint32_t(rig.skeleton.parents[j])) - bones.begin();
      if (place == std::ssize(bones) || rig.weights.row_values(i)[std::size_t(place)] < 0.5F) continue;
      const Vec3& p = rig.mesh.positions[i];
      reach = std::max(reach, along.normalized().dot(Vector3d(p.x, p.y, p.z) - translation_part(above)));
    }
    if (reach == 0) continue;  // nothing follows it by half, and it ends in the middle of what it moves
    ++measured;
    EXPECT_NEAR(along.norm(), reach, 1e-5) << rig.skeleton.names[j] << " is not at the end of what its bone moves";
  }
  EXPECT_GE(ends, 2u);
  EXPECT_GE(measured, 2u);
  options_.ends = false;
  EXPECT_EQ(extract_skeleton(sequence_, options_).value.bones(), 6u);
}

TEST_F(SkeletonOfArm, FreeTranslationIsCloserButComesApart) {
  const Rig hard = extract_skeleton(sequence_, options_).value;
  options_.free_translation = true;
  const Rig free = extract_skeleton(sequence_, options_).value;
  EXPECT_LE(compare(sequence_, free).e_rms, compare(sequence_, hard).e_rms);
  EXPECT_EQ(std::ranges::count(free.skeleton.parents, -1), 1);
}

TEST_F(SkeletonOfArm, FitsAGivenTreeByJointsOrByNames) {
  BoneTree tree;
  for (std::size_t j = 0; j < truth_.bones(); ++j) {
    const std::int32_t parent = truth_.skeleton.parents[j];
    tree.bones.push_back({truth_.skeleton.names[j], parent < 0 ? "" : truth_.skeleton.names[std::size_t(parent)],
                          transform(truth_.skeleton.bind[j], Vec3{0.01F, 0, 0})});
  }
  options_.tree = tree;
  for (const Rig& rig :
       {extract_skeleton(sequence_, options_).value, extract_skeleton(sequence_, truth_, options_).value}) {
    expect_hard(rig);
    EXPECT_LT(compare(sequence_, rig).e_rms, 1);
    for (std::size_t j = 0; j < rig.bones(); ++j) {
      const auto known = std::ranges::find(tree.bones, rig.skeleton.names[j], &BoneTree::Bone::name);
      if (known == tree.bones.end()) continue;
      const std::int32_t parent = rig.skeleton.parents[j];
      EXPECT_EQ(known->parent, parent < 0 ? "" : rig.skeleton.names[std::size_t(parent)]);
    }
  }
}

TEST_F(SkeletonOfArm, TheRestPoseIsTheRigs) {
  const Sequence noisy = synthetic::observe(truth_, {.noise = 0.002});
  Sequence off = noisy;
  off.mesh.positions[7].y += 0.05F;
  const Rig moved = decompose(off, {.bones = 6, .rest_pose = RestPose::alternate, .effort = Effort::fast}).value;
  ASSERT_NE(moved.mesh.positions, off.mesh.positions);
  const Rig rig = extract_skeleton(off, moved, options_).value;
  expect_hard(rig);
  EXPECT_EQ(rig.mesh.positions, moved.mesh.positions);
  // From the rest pose of the frames, that vertex stays where no bone can put it right.
  const Rig kept = extract_skeleton(off, options_).value;
  EXPECT_LT(compare(off, rig).error.max, 0.5 * compare(off, kept).error.max);
}

TEST_F(SkeletonOfArm, RefusesWhatCannotBe) {
  const auto refused = [&](const SkeletonOptions& options, std::initializer_list<std::string> parts) {
    expect_error(ErrorCode::bad_request, parts, [&] { extract_skeleton(sequence_, options); });
  };
  refused({.bones = 100000}, {"bones", "number of vertices"});
  refused({.influences = 0}, {"influences"});
  refused({.bones = 0, .method = SkeletonMethod::hasler}, {"bones", "multi"});
  refused({.tree = BoneTree{}}, {"tree", "no bones"});
  refused({.tree = BoneTree{{{"a", "", {}}}}}, {"tree", "\"a\"", "joint"});
  refused({.tree = BoneTree{{{"a", "b", {}}, {"b", "a", {}}}}}, {"tree", "its own ancestor"});
  refused({.tree = BoneTree{{{"a", "c", {}}}}}, {"tree", "\"c\"", "not in the tree"});
  refused({.tree = BoneTree{{{"a", "", {}}, {"a", "", {}}}}}, {"tree", "two bones \"a\""});
  Rig scaled = truth_;
  for (double& v : scaled.motion.transforms[7].m) v *= 1.5;
  expect_error(ErrorCode::bad_input, {"rig", "upper_arm", "frame 1", "rigid"},
               [&] { extract_skeleton(sequence_, scaled, options_); });
  expect_error(ErrorCode::bad_input, {"no vertices"}, [&] { extract_skeleton(Sequence{}, options_); });
}

TEST(Skeleton, PartsThatShareNothingHangUnderTheRootAndKeepTheirOwnWay) {
  const Rig truth = synthetic::shells({.vertices = 300, .frames = 10}, 4);
  const Sequence sequence = bake(truth);
  const Rig rig = extract_skeleton(sequence, {.bones = 4, .effort = Effort::fast}).value;
  validate(rig);
  EXPECT_LT(compare(sequence, rig).e_rms, 0.1);
  EXPECT_EQ(std::ranges::count(rig.skeleton.parents, -1), 1);
}

TEST(Skeleton, SidesOfASymmetricBodyAreNamed) {
  const Sequence sequence = bake(synthetic::quadruped({.vertices = 500, .frames = 10}));
  const Rig rig = extract_skeleton(sequence, {.bones = 20, .effort = Effort::fast}).value;
  std::size_t left = 0;
  for (std::size_t j = 0; j < rig.bones(); ++j) {
    const std::string& name = rig.skeleton.names[j];
    const double x = rig.skeleton.bind[j](0, 3);
    if (name.find("_left") != std::string::npos) {
      ++left;
      EXPECT_GT(x, -0.02) << name;
      std::string other = name;
      other.replace(other.find("_left"), 5, "_right");
      EXPECT_NE(std::ranges::find(rig.skeleton.names, other), rig.skeleton.names.end()) << other;
    }
    if (name.find("_right") != std::string::npos) {
      EXPECT_LT(x, 0.02) << name;
    }
  }
  EXPECT_GE(left, 4u);
}

TEST(Skeleton, TheRootDoesNotDependOnTheChoiceOfFrames) {
  const Rig truth = synthetic::poses({.vertices = 500, .frames = 30});
  std::set<std::string> roots;
  for (const std::size_t first : {std::size_t(0), std::size_t(10), std::size_t(20)}) {
    const Rig part = slice(truth, first, 10);
    const Rig rig = extract_skeleton(bake(part), part, {.effort = Effort::fast}).value;
    roots.insert(truth.skeleton.names[matches(rig, truth)[0]]);
  }
  EXPECT_EQ(roots, std::set<std::string>{"spine"});
}

/// What an animator does: turns the node of a bone about its own x axis, in the file.
void turn_node(const std::filesystem::path& file, const std::string& name, double angle) {
  const std::string bytes = testing::read_bytes(file);
  std::uint32_t text = 0;
  std::memcpy(&text, bytes.data() + 12, 4);
  nlohmann::json json = nlohmann::json::parse(bytes.substr(20, text));
  for (nlohmann::json& node : json["nodes"]) {
    if (node["name"] != name) continue;
    const auto q = node.value("rotation", std::array<double, 4>{0, 0, 0, 1});
    const Eigen::Quaterniond turned =
        Eigen::Quaterniond(q[3], q[0], q[1], q[2]) * Eigen::AngleAxisd(angle, Vector3d::UnitX());
    node["rotation"] = {turned.x(), turned.y(), turned.z(), turned.w()};
  }
  testing::write_bytes(file, testing::GlbBuilder::pack(json.dump(), bytes.substr(20 + text + 8)));
}

/// Named so that the validator sees the file.
TEST(GlbWriteSkeleton, TurnsAboutFixedJointsAndAKneeMovesOnlyTheLowerLeg) {
  const std::filesystem::path file = testing::output_folder() / "skeleton.glb";
  const Rig truth = synthetic::quadruped({.vertices = 600, .frames = 12});
  Rig rig = extract_skeleton(bake(truth), {.bones = 20, .effort = Effort::fast}).value;
  write_glb(rig, file);
  const testing::IndependentGlb glb(file);
  // Only the root moves; all others turn.
  std::map<std::string, std::size_t> channels;
  for (const auto& channel : glb.document()["animations"][0]["channels"]) {
    ++channels[channel["target"]["path"].get<std::string>()];
  }
  EXPECT_EQ(channels["rotation"], rig.bones());
  EXPECT_EQ(channels["translation"], 1u);
  EXPECT_EQ(channels.size(), 2u);
  std::vector<Vec3> wanted(rig.vertices());
  deform(rig, rig.motion.frame(5), wanted);
  const auto played = glb.play(0, glb.times(0)[5]);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_NEAR(played[i][0], wanted[i].x, 1e-5);
    ASSERT_NEAR(played[i][1], wanted[i].y, 1e-5);
    ASSERT_NEAR(played[i][2], wanted[i].z, 1e-5);
  }
  // Somebody turns a knee's node by 30 degrees about its own x axis; somebody else looks at the file.
  const Rig read = read_rig(file);
  std::size_t knee = 0;
  for (std::size_t j = 0; j < read.bones(); ++j) {
    const double y = read.skeleton.bind[j](1, 3);
    if (working_bones(read).contains(j) && y > 0.3 && y < 0.5 && std::abs(read.skeleton.bind[j](0, 3)) > 0.05) knee = j;
  }
  ASSERT_NE(knee, 0u);
  const double a = 3.14159265358979 / 6;
  turn_node(file, read.skeleton.names[knee], a);
  const auto posed = testing::IndependentGlb(file).rest();
  std::vector<bool> below(read.bones(), false);
  for (std::size_t j = 0; j < read.bones(); ++j) {
    const std::int32_t parent = read.skeleton.parents[j];
    below[j] = j == knee || (parent >= 0 && below[std::size_t(parent)]);
  }
  const Vector3d joint = translation_part(read.skeleton.bind[knee]),
                 axis = linear_part(read.skeleton.bind[knee]).col(0);
  double furthest = 0;
  for (std::size_t i = 0; i < read.vertices(); ++i) {
    double share = 0;
    for (std::size_t e = 0; e < read.weights.row_bones(i).size(); ++e) {
      if (below[read.weights.row_bones(i)[e]]) share += read.weights.row_values(i)[e];
    }
    const Vec3& p = read.mesh.positions[i];
    const double moved = std::hypot(posed[i][0] - p.x, posed[i][1] - p.y, posed[i][2] - p.z);
    const double from_axis = axis.cross(Vector3d(p.x, p.y, p.z) - joint).norm();
    // A chord of the circle about the knee, as much of it as the vertex follows.
    EXPECT_NEAR(moved, share * 2 * std::sin(a / 2) * from_axis, 1e-5) << "vertex " << i;
    furthest = std::max(furthest, moved);
    if (moved >= 0.01) {
      EXPECT_LT(p.y, joint.y() + 0.15) << "vertex " << i << " is above the knee";
    }
  }
  EXPECT_GT(furthest, 0.1);
}

}  // namespace
}  // namespace marrow
