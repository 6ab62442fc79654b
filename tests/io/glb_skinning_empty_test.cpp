// Layers whose rows all have one source: they store no values, and glTF has no empty accessors.
#include <gtest/gtest.h>

#include <cstring>

#include "marrow/io.hpp"
#include "marrow/synthetic.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/glb_builder.hpp"

namespace marrow {
namespace {

/// One virtual bone per bone, one per vertex.
TwoLayerRig one_to_one() {
  TwoLayerRig model{synthetic::shells({.vertices = 80, .frames = 3}, 4), {}, {}};
  const auto bones = std::uint32_t(model.rig.bones());
  model.virtual_bones.offsets = {0};
  for (std::uint32_t j = 0; j < bones; ++j) {
    model.virtual_bones.sources.push_back(j);
    model.virtual_bones.values.push_back(1);
    model.virtual_bones.offsets.push_back(j + 1);
  }
  model.weights = {model.rig.weights.offsets, model.rig.weights.bones, model.rig.weights.values};
  return model;
}

struct Glb {
  nlohmann::json json;
  std::string binary;

  explicit Glb(const std::filesystem::path& file) {
    const std::string bytes = testing::read_bytes(file);
    std::uint32_t json_bytes = 0;
    std::memcpy(&json_bytes, bytes.data() + 12, 4);
    json = nlohmann::json::parse(bytes.substr(20, json_bytes));
    binary = bytes.substr(20 + json_bytes + 8);
  }
  nlohmann::json& layer(std::size_t index) { return json["extensions"]["MARROW_skinning"]["layers"][index]; }
  void save(const std::filesystem::path& file) const {
    testing::write_bytes(file, testing::GlbBuilder::pack(json.dump(), binary));
  }
};

TEST(GlbWriteSkinningEmpty, TablesWithoutValuesAreLeftOut) {
  const auto file = testing::output_folder() / "model.glb";
  const TwoLayerRig model = one_to_one();
  write_glb(model, file);
  Glb glb(file);
  for (const std::size_t l : {0u, 1u}) EXPECT_FALSE(glb.layer(l).contains("values")) << l;
  for (const auto& accessor : glb.json["accessors"]) EXPECT_GT(accessor["count"], 0);
  const auto back = std::get<TwoLayerRig>(read_model(file));
  EXPECT_EQ(back.virtual_bones, model.virtual_bones);
  EXPECT_EQ(back.weights, model.weights);
}

/// As files were written before: accessors and views of length 0.
TEST(GlbSkinningEmpty, FilesWithEmptyTablesAreRead) {
  const auto folder = testing::output_folder();
  const TwoLayerRig model = one_to_one();
  write_glb(model, folder / "new.glb");
  for (const bool floats : {false, true}) {
    Glb glb(folder / "new.glb");
    for (const std::size_t l : {0u, 1u}) {
      glb.json["bufferViews"].push_back({{"buffer", 0}, {"byteOffset", glb.binary.size()}, {"byteLength", 0}});
      nlohmann::json accessor = {{"bufferView", glb.json["bufferViews"].size() - 1},
                                 {"componentType", floats ? 5126 : 5123},
                                 {"count", 0},
                                 {"type", "SCALAR"}};
      if (!floats) accessor["normalized"] = true;
      glb.json["accessors"].push_back(std::move(accessor));
      glb.layer(l)["values"] = glb.json["accessors"].size() - 1;
    }
    glb.save(folder / "old.glb");
    const auto back = std::get<TwoLayerRig>(read_model(folder / "old.glb"));
    EXPECT_EQ(back.virtual_bones, model.virtual_bones);
    EXPECT_EQ(back.weights, model.weights);
  }
}

TEST(GlbSkinningEmpty, ValuesThatAreNeededAreMissed) {
  const auto folder = testing::output_folder();
  TwoLayerRig model = one_to_one();
  model.virtual_bones = {{0, 2}, {0, 1}, {0.5f, 0.5f}};
  for (std::uint32_t& source : model.weights.sources) source = 0;
  write_glb(model, folder / "whole.glb");
  Glb glb(folder / "whole.glb");
  ASSERT_TRUE(glb.layer(0).contains("values"));
  glb.layer(0).erase("values");
  glb.save(folder / "cut.glb");
  testing::expect_error(ErrorCode::bad_file, {"cut.glb", "values is missing"}, [&] { read_model(folder / "cut.glb"); });
}

}  // namespace
}  // namespace marrow
