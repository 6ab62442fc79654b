#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "io/glb.hpp"
#include "io/glb_reading.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"
#include "support/glb_builder.hpp"

// How skins become rigs, on the two-joint strip of skinned_glb().

namespace marrow {
namespace {

using testing::expect_near;
using testing::GlbBuilder;
using testing::skinned_glb;

constexpr float half_turn_half = 0.70710678f;

/// The tip turns a quarter about z within 0.1 s.
void turn_tip(GlbBuilder& glb) {
  glb.add_channel(0, 2, "rotation", {0, 0.1f}, {0, 0, 0, 1, 0, 0, half_turn_half, half_turn_half});
}

std::size_t replace_attribute(GlbBuilder& glb, const char* name, std::size_t accessor) {
  glb.json["meshes"][0]["primitives"][0]["attributes"][name] = accessor;
  return accessor;
}

TEST(GlbSkin, ReadsBonesWeightsAndMotion) {
  GlbBuilder glb = skinned_glb();
  turn_tip(glb);
  const Rig rig = read_rig(glb.save());
  validate(rig);
  EXPECT_EQ(rig.skeleton.names, (std::vector<std::string>{"root", "tip"}));
  EXPECT_EQ(rig.skeleton.parents, (std::vector<std::int32_t>{-1, 0}));
  EXPECT_EQ(rig.skeleton.bind[1], Affine::translation(0, 1, 0));
  EXPECT_EQ(rig.weights.offsets, (std::vector<std::uint32_t>{0, 1, 2, 4, 6, 7, 8}));
  EXPECT_EQ(rig.mesh.faces(), 4u);
  // The rest pose is exactly what the file stores.
  EXPECT_EQ(rig.mesh.positions[5], (Vec3{1, 2, 0}));
  const Sequence s = bake(rig);
  ASSERT_EQ(s.frames(), 2u);
  EXPECT_EQ(s.frame(0)[5], rig.mesh.positions[5]);
  expect_near(s.frame(1)[5], -1, 2, 0);     // (1, 1) from the tip, turned to (-1, 1)
  expect_near(s.frame(1)[3], 0.5, 1.5, 0);  // between (1, 1) and (0, 2)
  EXPECT_EQ(s.frame(1)[1], (Vec3{1, 0, 0}));
}

TEST(GlbSkin, WithoutAnimationStandsAtRest) {
  GlbBuilder glb = skinned_glb();
  const Rig rig = read_rig(glb.save());
  ASSERT_EQ(rig.motion.timeline.clips.size(), 1u);
  EXPECT_EQ(rig.motion.timeline.clips[0], (Clip{"rest", 0, 1}));
  EXPECT_EQ(bake(rig).frame(0)[4], (Vec3{0, 2, 0}));
}

TEST(GlbSkin, ReadsNormalisedWeightsAndWideJoints) {
  GlbBuilder bytes = skinned_glb(), words = skinned_glb();
  replace_attribute(bytes, "WEIGHTS_0",
                    bytes.add_accessor<std::uint8_t>({255, 0,   0, 0, 255, 0, 0, 0, 51,  204, 0, 0,  //
                                                      51,  204, 0, 0, 255, 0, 0, 0, 255, 0,   0, 0},
                                                     4, true));
  replace_attribute(
      words, "JOINTS_0",
      words.add_accessor<std::uint16_t>({0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, 4));
  replace_attribute(words, "WEIGHTS_0",
                    words.add_accessor<std::uint16_t>({65535, 0,     0, 0, 65535, 0, 0, 0, 13107, 52428, 0, 0,  //
                                                       13107, 52428, 0, 0, 65535, 0, 0, 0, 65535, 0,     0, 0},
                                                      4, true));
  for (GlbBuilder* glb : {&bytes, &words}) {
    const Rig rig = read_rig(glb->save());
    EXPECT_FLOAT_EQ(rig.weights.row_values(2)[0], 0.2f);
    EXPECT_FLOAT_EQ(rig.weights.row_values(2)[1], 0.8f);
  }
}

TEST(GlbSkin, AddsUpEightInfluencesAndNormalises) {
  GlbBuilder glb = skinned_glb();
  std::vector<std::uint8_t> joints(24, 1);
  std::vector<float> weights(24, 0);
  weights[0] = 1;                  // vertex 0: 1 of the tip on top of 1 of the root
  weights[8] = weights[9] = 0.5f;  // vertex 2: 1 of the tip on top of a half and a half
  weights[10] = -1;                // is passed over
  replace_attribute(glb, "JOINTS_1", glb.add_accessor(joints, 4));
  replace_attribute(glb, "WEIGHTS_1", glb.add_floats(weights, 4));
  const Rig rig = read_rig(glb.save());
  validate(rig);
  ASSERT_EQ(rig.weights.row_values(0).size(), 2u);
  EXPECT_FLOAT_EQ(rig.weights.row_values(0)[1], 0.5f);
  ASSERT_EQ(rig.weights.row_values(2).size(), 2u);
  EXPECT_FLOAT_EQ(rig.weights.row_values(2)[0], 0.25f);
  EXPECT_FLOAT_EQ(rig.weights.row_values(2)[1], 0.75f);
}

TEST(GlbSkin, VerticesWithoutWeightsFollowTheFirstJoint) {
  GlbBuilder glb = skinned_glb();
  replace_attribute(glb, "WEIGHTS_0", glb.add_floats(std::vector<float>(24, 0), 4));
  glb.json["skins"][0]["joints"] = {2, 1};
  int warnings = 0;
  const Rig rig = read_rig(glb.save(), {}, {.log = [&](LogLevel, std::string_view) { ++warnings; }});
  validate(rig);
  EXPECT_EQ(warnings, 1);
  EXPECT_EQ(rig.weights.row_bones(0)[0], 1u);  // "tip", which comes after its parent
  EXPECT_EQ(rig.skeleton.names[1], "tip");
}

TEST(GlbSkin, AChangeOfUnitAndAxesGoesIntoTheRestPose) {
  GlbBuilder glb = skinned_glb();
  turn_tip(glb);
  // All joints below a node that scales by 0.01 and turns z-up to y-up: (x, y, z) to 0.01 (x, z, -y).
  glb.add_node({{"children", {1}},
                {"rotation", {-half_turn_half, 0, 0, half_turn_half}},
                {"scale", {0.01, 0.01, 0.01}},
                {"translation", {0, 0, 5}}});
  glb.json["scenes"][0]["nodes"] = {0, 3};
  const Rig rig = read_rig(glb.save());
  validate(rig);
  const Sequence s = bake(rig);
  for (std::size_t i = 0; i < rig.vertices(); ++i) {
    const Vec3& p = rig.mesh.positions[i];
    expect_near(s.frame(0)[i], p.x, p.y, p.z);
  }
  expect_near(rig.mesh.positions[5], 0.01, 0, 4.98);
  expect_near(s.frame(1)[5], -0.01, 0, 4.98);
  // The bone stands where the joint does.
  expect_near(transform(rig.skeleton.bind[1], Vec3{0, 0, 0}), 0, 0, 4.99);
}

TEST(GlbSkin, APoseThatIsNoSimilarityIsStillReproduced) {
  GlbBuilder glb = skinned_glb();
  // Bent as the file stands, without animation.
  glb.json["nodes"][2]["rotation"] = {0, 0, half_turn_half, half_turn_half};
  const Rig rig = read_rig(glb.save());
  validate(rig);
  const Sequence s = bake(rig);
  expect_near(s.frame(0)[5], -1, 2, 0);
  expect_near(s.frame(0)[1], 1, 0, 0);
  EXPECT_FALSE(rig.mesh.positions[5] == (Vec3{1, 2, 0}));
}

TEST(GlbSkin, SkinsShareBonesThatAgree) {
  GlbBuilder glb = skinned_glb();
  glb.add("skins", glb.json["skins"][0]);
  glb.add_node({{"mesh", 0}, {"skin", 1}});
  const Rig shared = read_rig(glb.save());
  EXPECT_EQ(shared.bones(), 2u);
  EXPECT_EQ(shared.vertices(), 12u);

  // Another inverse bind matrix for the tip: a bone of its own with the same parent.
  const std::size_t other = glb.add_floats(
      {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -2, 0, 1}, 16);
  glb.json["skins"][1]["inverseBindMatrices"] = other;
  const Rig apart = read_rig(glb.save());
  validate(apart);
  EXPECT_EQ(apart.skeleton.names, (std::vector<std::string>{"root", "tip", "tip_1"}));
  EXPECT_EQ(apart.skeleton.parents, (std::vector<std::int32_t>{-1, 0, 0}));
  expect_near(bake(apart).frame(0)[10], 0, 1, 0);
}

TEST(GlbSkin, BonesOfDifferentSpacesStayInTheirOwnChain) {
  GlbBuilder glb = skinned_glb();
  const std::size_t doubled = glb.add_floats(
      {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, -1, 0, 1}, 16);
  glb.add("skins", {{"joints", {1, 2}}, {"inverseBindMatrices", doubled}});
  glb.add_node({{"mesh", 0}, {"skin", 1}});
  const Rig rig = read_rig(glb.save());
  validate(rig);
  EXPECT_EQ(rig.skeleton.names, (std::vector<std::string>{"root", "tip", "root_1", "tip_1"}));
  EXPECT_EQ(rig.skeleton.parents, (std::vector<std::int32_t>{-1, 0, -1, 2}));
  expect_near(rig.mesh.positions[11], 2, 4, 0);
  expect_near(bake(rig).frame(0)[11], 2, 4, 0);
}

TEST(GlbSkin, ParentsComeFirstAndHelpersAreNoBones) {
  GlbBuilder glb = skinned_glb();
  glb.json["skins"][0]["joints"] = {2, 1};
  glb.json["skins"][0].erase("inverseBindMatrices");
  // A helper between the two.
  glb.add_node({{"name", "helper"}, {"children", {2}}});
  glb.json["scenes"][0]["nodes"] = {0, 1};
  glb.json["nodes"][1]["children"] = {3};
  glb.json["nodes"][2].erase("name");
  const Rig rig = read_rig(glb.save());
  validate(rig);
  EXPECT_EQ(rig.skeleton.names, (std::vector<std::string>{"root", "node_2"}));
  EXPECT_EQ(rig.skeleton.parents, (std::vector<std::int32_t>{-1, 0}));
  EXPECT_EQ(rig.weights.row_bones(0)[0], 1u);
}

TEST(GlbSkin, MeshesWithoutSkinFollowTheirNode) {
  GlbBuilder glb = skinned_glb();
  turn_tip(glb);
  const std::size_t position = glb.add_floats({0, 0, 0, 1, 0, 0, 0, 1, 0}, 3);
  glb.add("meshes", {{"primitives", {{{"attributes", {{"POSITION", position}}}}}}});
  glb.add_node({{"name", "sword"}, {"mesh", 1}, {"translation", {1, 0, 0}}}, 2);
  const Rig rig = read_rig(glb.save());
  validate(rig);
  EXPECT_EQ(rig.skeleton.names, (std::vector<std::string>{"root", "tip", "sword"}));
  EXPECT_EQ(rig.skeleton.parents[2], 1);
  EXPECT_EQ(rig.vertices(), 9u);
  EXPECT_EQ(rig.mesh.positions[7], (Vec3{2, 1, 0}));
  EXPECT_EQ(rig.skeleton.bind[2], Affine::translation(1, 1, 0));
  expect_near(bake(rig).frame(1)[7], 0, 3, 0);
}

TEST(GlbSkin, MorphTargetsThatMoveMakeASequence) {
  GlbBuilder glb = skinned_glb();
  turn_tip(glb);
  std::vector<float> offsets(18, 0);
  offsets[17] = 2;
  glb.json["meshes"][0]["primitives"][0]["targets"] = {{{"POSITION", glb.add_floats(offsets, 3)}}};
  glb.json["meshes"][0]["weights"] = {0.5};
  // Targets that stay go into the rest pose.
  EXPECT_EQ(read_rig(glb.save()).mesh.positions[5], (Vec3{1, 2, 1}));

  glb.add_channel(0, 0, "weights", {0, 0.1f}, {0.5f, 1});
  const auto file = glb.save();
  int warnings = 0;
  const auto s = std::get<Sequence>(read_glb(file, {}, {.log = [&](LogLevel, std::string_view) { ++warnings; }}));
  EXPECT_EQ(warnings, 1);
  EXPECT_EQ(s.mesh.positions[5], (Vec3{1, 2, 1}));
  expect_near(s.frame(1)[5], -1, 2, 2);
  EXPECT_THROW(read_rig(file), Error);
}

TEST(GlbSkin, AFileWithoutSkinIsNoRig) {
  GlbBuilder glb = testing::triangle_glb();
  try {
    read_rig(glb.save());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_file);
    EXPECT_NE(error.message().find("sequence"), std::string::npos);
  }
}

}  // namespace
}  // namespace marrow
