#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/fuzz_glb.hpp"
#include "support/glb_builder.hpp"

// Files that are wrong: a clear error, never a crash, a hang or a huge allocation.

namespace marrow {
namespace {

using testing::GlbBuilder;
using testing::skinned_glb;
using testing::triangle_glb;

/// Skin, morph targets, a sparse accessor, texture coordinates, a rigid part and two clips in less than 6 kB.
GlbBuilder everything_glb() {
  GlbBuilder glb = skinned_glb();
  glb.add_channel(0, 2, "rotation", {0, 0.1f, 0.2f}, {0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1});
  glb.add_channel(1, 1, "translation", {0, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 0, 0, 0}, "CUBICSPLINE");
  glb.add_channel(1, 1, "scale", {0, 1}, {1, 1, 1, 2, 2, 2}, "STEP");
  const std::size_t indices = glb.add_view<std::uint8_t>({1, 3});
  const std::size_t values = glb.add_view<float>({0, 0, 1, 0, 0, 2});
  const std::size_t target = glb.add("accessors", {{"componentType", 5126},
                                                   {"count", 6},
                                                   {"type", "VEC3"},
                                                   {"sparse",
                                                    {{"count", 2},
                                                     {"indices", {{"bufferView", indices}, {"componentType", 5121}}},
                                                     {"values", {{"bufferView", values}}}}}});
  auto& primitive = glb.json["meshes"][0]["primitives"][0];
  primitive["targets"] = {{{"POSITION", target}}};
  primitive["attributes"]["TEXCOORD_0"] = glb.add_floats({0, 0, 0, .1f, 0, .2f, 0, .3f, 0, .4f, 0, .5f}, 2);
  glb.json["meshes"][0]["weights"] = {0.5};
  glb.json["meshes"][0]["extras"] = {{"marrow", {{"source_vertices", {1}}}}};
  const std::size_t position = glb.add_floats({0, 0, 0, 1, 0, 0, 0, 1, 0}, 3);
  glb.add("meshes", {{"primitives", {{{"attributes", {{"POSITION", position}}}}}}});
  glb.add_node({{"mesh", 1}, {"matrix", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1}}}, 2);
  return glb;
}

TEST(GlbDamage, EveryTruncationIsAnError) {
  const std::string bytes = everything_glb().bytes();
  const auto file = testing::output_folder() / "file.glb";
  ASSERT_TRUE(testing::survives(bytes, file));
  for (std::size_t size = bytes.size(); size-- > 0;) {
    std::filesystem::resize_file(file, size);
    EXPECT_THROW(read_glb(file, {}, {}), Error) << size;
  }
}

TEST(GlbDamage, EveryTruncationOfTheBuffersIsAnError) {
  GlbBuilder glb = everything_glb();
  const auto file = testing::output_folder() / "file.glb";
  // The header and the buffer state the shorter length, so it is for the views and accessors to notice.
  while (!glb.binary.empty()) {
    glb.binary.pop_back();
    EXPECT_FALSE(testing::survives(glb.bytes(), file)) << glb.binary.size();
  }
}

TEST(GlbDamage, RandomBytesAreSurvived) {
  const std::string bytes = everything_glb().bytes();
  const auto file = testing::output_folder() / "file.glb";
  std::uint32_t json_size = 0;
  std::memcpy(&json_size, bytes.data() + 12, 4);
  const std::size_t json_end = 20 + json_size;
  Random random(7);
  int readable = 0;
  for (int n = 0; n < 400; ++n) {
    readable += testing::survives(testing::damaged(bytes, 0, json_end, random), file) ? 1 : 0;
    readable += testing::survives(testing::misstated(bytes, 20, json_end, random), file) ? 1 : 0;
    readable += testing::survives(testing::damaged(bytes, json_end, bytes.size(), random), file) ? 1 : 0;
  }
  // Some damage must go unnoticed, or the loop did not reach the code behind the first checks.
  EXPECT_GT(readable, 100);
}

TEST(GlbDamage, DeepNestingDoesNotUseUpTheStack) {
  GlbBuilder glb = triangle_glb();
  std::string text = (glb.bytes(), glb.json.dump());
  text.pop_back();
  const std::size_t depth = 300'000;
  text += ",\"extras\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
  EXPECT_TRUE(testing::survives(GlbBuilder::pack(text, glb.binary), testing::output_folder() / "file.glb"));
}

struct Fault {
  const char* name;
  std::function<void(GlbBuilder&)> plant;
  const char* message;  // part of what the error says
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name;
}

nlohmann::json& primitive(GlbBuilder& glb) {
  return glb.json["meshes"][0]["primitives"][0];
}

constexpr auto huge = std::numeric_limits<std::uint64_t>::max();

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all{
      {"Cycle", [](GlbBuilder& g) { g.json["nodes"][2]["children"] = {1}; }, "ancestor"},
      {"TwoParents", [](GlbBuilder& g) { g.json["nodes"][0]["children"] = {2}; }, "two parents"},
      {"ChildIndex", [](GlbBuilder& g) { g.json["nodes"][0]["children"] = {77}; }, "nodes[0]: children[0]"},
      {"VertexIndex",
       [](GlbBuilder& g) {
         primitive(g)["indices"] = g.add_accessor<std::uint16_t>({0, 1, 6}, 1);
       },
       "index 2 is 6"},
      {"HalfATriangle",
       [](GlbBuilder& g) {
         primitive(g)["indices"] = g.add_accessor<std::uint16_t>({0, 1}, 1);
       },
       "whole triangles"},
      {"FloatIndices",
       [](GlbBuilder& g) {
         primitive(g)["indices"] = g.add_floats({0, 1, 2}, 1);
       },
       "unsigned integers"},
      {"JointIndex", [](GlbBuilder& g) { g.json["skins"][0]["joints"] = {1}; }, "follows joint 1"},
      {"NoJoints", [](GlbBuilder& g) { primitive(g)["attributes"].erase("JOINTS_0"); }, "JOINTS_0"},
      {"NoWeights", [](GlbBuilder& g) { primitive(g)["attributes"].erase("WEIGHTS_0"); }, "WEIGHTS_0"},
      {"EmptySkin", [](GlbBuilder& g) { g.json["skins"][0]["joints"] = nlohmann::json::array(); }, "no joints"},
      {"FewBindMatrices",
       [](GlbBuilder& g) {
         g.json["skins"][0]["joints"] = {1, 2, 0};
       },
       "inverse bind matrices"},
      {"UnsortedTimes",
       [](GlbBuilder& g) {
         g.add_channel(0, 1, "scale", {0, 2, 1}, std::vector<float>(9, 1));
       },
       "not ascending"},
      {"NoKeys", [](GlbBuilder& g) { g.add_channel(0, 1, "scale", {}, {}); }, "no keys"},
      {"FewValues",
       [](GlbBuilder& g) {
         g.add_channel(0, 1, "scale", {0, 1}, {1, 1, 1});
       },
       "do not fit"},
      {"CubicWithoutTangents",
       [](GlbBuilder& g) {
         g.add_channel(0, 1, "scale", {0, 1}, {1, 1, 1, 1, 1, 1}, "CUBICSPLINE");
       },
       "do not fit"},
      {"NanKey",
       [](GlbBuilder& g) {
         g.add_channel(0, 1, "scale", {0}, {1, 1, std::nanf("")});
       },
       "not finite"},
      {"EndlessClip",
       [](GlbBuilder& g) {
         g.add_channel(0, 1, "scale", {0, 3e7f}, {1, 1, 1, 1, 1, 1});
       },
       "more than 1000000 frames"},
      {"MovedMatrix",
       [](GlbBuilder& g) {
         g.json["nodes"][1]["matrix"] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
         g.add_channel(0, 1, "scale", {0}, {1, 1, 1});
       },
       "matrix"},
      {"ShortTranslation",
       [](GlbBuilder& g) {
         g.json["nodes"][1]["translation"] = {1, 2};
       },
       "instead of 3"},
      {"HugeScale",
       [](GlbBuilder& g) {
         for (const std::size_t n : {1u, 2u}) g.json["nodes"][n]["scale"] = {1e200, 1, 1};
       },
       "not finite"},
      {"NanPosition",
       [](GlbBuilder& g) {
         primitive(g)["attributes"]["POSITION"] = g.add_floats(std::vector<float>(18, INFINITY), 3);
       },
       "positions[0] is not finite"},
      {"NanTextureCoordinate",
       [](GlbBuilder& g) {
         primitive(g)["attributes"]["TEXCOORD_0"] = g.add_floats({0, 0, 0, 0, 0, std::nanf(""), 0, 0, 0, 0, 0, 0}, 2);
       },
       "meshes[0].primitives[0]: texture coordinates[2] is not finite"},
      {"NanColor",
       [](GlbBuilder& g) {
         std::vector<float> values(24, 0.5f);
         values[23] = std::nanf("");
         primitive(g)["attributes"]["COLOR_0"] = g.add_floats(values, 4);
       },
       "colours[5] is not finite"},
      {"NanTangent",
       [](GlbBuilder& g) {
         std::vector<float> values(24, 0.5f);
         values[4] = INFINITY;
         primitive(g)["attributes"]["TANGENT"] = g.add_floats(values, 4);
       },
       "tangents[1] is not finite"},
      {"NanWeight",
       [](GlbBuilder& g) {
         std::vector<float> values(24, 0.25f);
         values[13] = std::nanf("");
         primitive(g)["attributes"]["WEIGHTS_0"] = g.add_floats(values, 4);
       },
       "weights[3] is not finite"},
      {"InfiniteTangentOfAKey",
       [](GlbBuilder& g) {
         g.add_channel(0, 1, "scale", {0}, {1, 1, INFINITY, 1, 1, 1, 1, 1, 1}, "CUBICSPLINE");
       },
       "not finite"},
      {"FewPositions",
       [](GlbBuilder& g) {
         primitive(g)["attributes"]["POSITION"] = g.add_floats({1, 2, 3}, 3);
       },
       "for 1 vertices"},
      {"HugeCount", [](GlbBuilder& g) { g.json["accessors"][0]["count"] = huge; }, "outside bufferView"},
      {"HugeOffset", [](GlbBuilder& g) { g.json["accessors"][0]["byteOffset"] = huge; }, "outside bufferView"},
      {"HugeStride", [](GlbBuilder& g) { g.json["bufferViews"][0]["byteStride"] = huge; }, "outside bufferView"},
      {"SmallStride", [](GlbBuilder& g) { g.json["bufferViews"][0]["byteStride"] = 4; }, "apart"},
      {"HugeView", [](GlbBuilder& g) { g.json["bufferViews"][0]["byteLength"] = huge; }, "outside its buffer"},
      {"HugeZeros",
       [](GlbBuilder& g) {
         g.json["accessors"][0]["count"] = 1'000'000'000;
         g.json["accessors"][0].erase("bufferView");
       },
       "without data"},
      {"NegativeCount", [](GlbBuilder& g) { g.json["accessors"][0]["count"] = -1; }, "whole number"},
      {"WrongType", [](GlbBuilder& g) { g.json["accessors"][0]["type"] = "VEC2"; }, "instead of VEC3"},
      {"WrongComponent", [](GlbBuilder& g) { g.json["accessors"][0]["componentType"] = 5124; }, "componentType"},
      {"SparseIndex",
       [](GlbBuilder& g) {
         const std::size_t view = g.add_view<std::uint32_t>({6, 0, 0});
         g.json["accessors"][0]["sparse"] = {{"count", 1},
                                             {"indices", {{"bufferView", view}, {"componentType", 5125}}},
                                             {"values", {{"bufferView", view}}}};
       },
       "outside the 6 elements"},
      {"Draco", [](GlbBuilder& g) { g.json["extensionsRequired"] = {"KHR_draco_mesh_compression"}; },
       "KHR_draco_mesh_compression"},
      {"NothingShown", [](GlbBuilder& g) { g.json["scenes"][0]["nodes"] = {1}; }, "nothing to read"},
      {"OldVersion", [](GlbBuilder& g) { g.json["asset"]["version"] = "1.0"; }, "glTF 2.0"},
  };
  return all;
}

class GlbFault : public ::testing::TestWithParam<Fault> {};

TEST_P(GlbFault, IsNamed) {
  GlbBuilder glb = skinned_glb();
  GetParam().plant(glb);
  const auto file = glb.save();
  try {
    read_glb(file, {}, {});
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_file);
    EXPECT_EQ(error.where(), file.string());
    EXPECT_NE(error.message().find(GetParam().message), std::string::npos) << error.message();
  }
}

INSTANTIATE_TEST_SUITE_P(, GlbFault, ::testing::ValuesIn(faults()), [](const auto& test) { return test.param.name; });

TEST(GlbDamage, WorkIsBoundedWhereAFileRepeatsItself) {
  // 36 bytes of positions, shown by 4000 nodes in 900 000 frames: 130 GB.
  GlbBuilder glb = triangle_glb();
  for (int n = 0; n < 4000; ++n) glb.add_node({{"mesh", 0}});
  glb.add_channel(0, 0, "translation", {0, 30'000}, {0, 0, 0, 1, 0, 0});
  EXPECT_THROW(read_glb(glb.save(), {}, {}), Error);
}

TEST(GlbDamage, AMissingFileIsNamed) {
  try {
    read_rig("no/such/file.glb");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_file);
    EXPECT_EQ(error.where(), "no/such/file.glb");
  }
}

}  // namespace
}  // namespace marrow
