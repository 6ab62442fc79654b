// The rules that every written GLB is held to: one planted fault after the other is found.
#include "io/gltf_rules.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "marrow/io.hpp"
#include "marrow/synthetic.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"

namespace marrow {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// The two parts of a GLB, open to be broken.
struct Parts {
  OrderedJson json;
  std::string binary;

  void check() const {
    glb::check_rules(
        json, true,
        [this](std::uint64_t offset, std::span<std::byte> out) {
          ASSERT_LE(offset + out.size(), binary.size());
          std::memcpy(out.data(), binary.data() + offset, out.size());
        },
        "broken.glb");
  }
  OrderedJson& accessor(std::size_t index) { return json["accessors"][index]; }
  OrderedJson& attributes() { return json["meshes"][0]["primitives"][0]["attributes"]; }
  /// The accessor that an object names.
  OrderedJson& named(const OrderedJson& index) { return accessor(index.get<std::size_t>()); }
  OrderedJson& view_of(const OrderedJson& index) {
    return json["bufferViews"][named(index)["bufferView"].get<std::size_t>()];
  }
  /// Changes number `k` of an accessor.
  template <class T>
  void put(const OrderedJson& index, std::size_t k, T value) {
    const auto begin =
        view_of(index)["byteOffset"].get<std::size_t>() + named(index).value("byteOffset", std::size_t(0));
    std::memcpy(binary.data() + begin + k * sizeof(T), &value, sizeof(T));
  }
  OrderedJson& sampler(std::size_t index) { return json["animations"][0]["samplers"][index]; }
};

Parts written_parts() {
  const auto file = testing::output_folder() / "bar.glb";
  write_glb(synthetic::bar({.vertices = 60, .frames = 3}), file);
  const std::string bytes = testing::read_bytes(file);
  std::uint32_t json_bytes = 0;
  std::memcpy(&json_bytes, bytes.data() + 12, 4);
  return {OrderedJson::parse(bytes.substr(20, json_bytes)), bytes.substr(20 + json_bytes + 8)};
}

struct BrokenRule {
  const char* what;  ///< part of the message
  std::function<void(Parts&)> plant;
};

void expect_all_found(const std::vector<BrokenRule>& faults) {
  const Parts whole = written_parts();
  ASSERT_NO_THROW(whole.check());
  for (const BrokenRule& fault : faults) {
    SCOPED_TRACE(fault.what);
    Parts broken = whole;
    fault.plant(broken);
    testing::expect_error(ErrorCode::bad_file, {"broken.glb", fault.what, "fault of Marrow"}, [&] { broken.check(); });
  }
}

TEST(GltfRules, ViewsAndAccessors) {
  expect_all_found({
      {"bufferViews[0]: is empty", [](Parts& p) { p.json["bufferViews"][0]["byteLength"] = 0; }},
      {"bufferViews[1]: is outside", [](Parts& p) { p.json["bufferViews"][1]["byteLength"] = p.binary.size(); }},
      {"accessors[0]: has no elements", [](Parts& p) { p.accessor(0)["count"] = 0; }},
      {"accessors[0]: runs past its view", [](Parts& p) { p.accessor(0)["count"] = 1000; }},
      {"accessors[0]: is not aligned", [](Parts& p) { p.json["bufferViews"][0]["byteOffset"] = 2; }},
      {"accessors[0]: has an unknown type", [](Parts& p) { p.accessor(0)["type"] = "VEC5"; }},
      {"accessors[0]: of this type cannot be normalised", [](Parts& p) { p.accessor(0)["normalized"] = true; }},
      {"accessors[0]: has limits of another width",
       [](Parts& p) {
         p.accessor(0)["min"] = {1, 2};
       }},
      {"accessors[0]: has only one of", [](Parts& p) { p.accessor(0).erase("min"); }},
      {"accessors[0]: states other limits", [](Parts& p) { p.accessor(0)["max"][1] = 99; }},
      {"has a number that is not finite",
       [](Parts& p) { p.put(p.attributes()["TEXCOORD_0"], 5, std::numeric_limits<float>::infinity()); }},
  });
}

TEST(GltfRules, Meshes) {
  expect_all_found({
      {"POSITION: has no limits", [](Parts& p) { p.accessor(0).erase("min"), p.accessor(0).erase("max"); }},
      {"TEXCOORD_0: has another count", [](Parts& p) { p.named(p.attributes()["TEXCOORD_0"])["count"] = 5; }},
      {"TEXCOORD_0: is of another type", [](Parts& p) { p.named(p.attributes()["TEXCOORD_0"])["type"] = "SCALAR"; }},
      {"NORMAL: is in a view for something else",
       [](Parts& p) { p.view_of(p.attributes()["NORMAL"]).erase("target"); }},
      {"shares the view", [](Parts& p) { p.attributes()["NORMAL"] = p.attributes()["POSITION"]; }},
      {"has joints without weights", [](Parts& p) { p.attributes().erase("WEIGHTS_0"); }},
      {"has weights without joints", [](Parts& p) { p.attributes().erase("JOINTS_0"); }},
      {"has weights, but no skin", [](Parts& p) { p.json["nodes"].back().erase("skin"); }},
      {"an attribute that no writer has", [](Parts& p) { p.attributes()["COLOR_0"] = p.attributes()["NORMAL"]; }},
      {"a normal of another length", [](Parts& p) { p.put(p.attributes()["NORMAL"], 0, 2.0f); }},
      {"weights that do not sum to 1", [](Parts& p) { p.put(p.attributes()["WEIGHTS_0"], 4, 0.3f); }},
      {"a negative weight", [](Parts& p) { p.put(p.attributes()["WEIGHTS_0"], 3, -0.1f); }},
      {"follows a joint that is not there", [](Parts& p) { p.put(p.attributes()["JOINTS_0"], 0, std::uint8_t(9)); }},
      {"names a joint without weight", [](Parts& p) { p.put(p.attributes()["JOINTS_0"], 3, std::uint8_t(1)); }},
      {"follows a joint twice",
       [](Parts& p) {
         p.put(p.attributes()["WEIGHTS_0"], 0, 0.5f), p.put(p.attributes()["WEIGHTS_0"], 1, 0.5f);
         p.put(p.attributes()["JOINTS_0"], 0, std::uint8_t(1)), p.put(p.attributes()["JOINTS_0"], 1, std::uint8_t(1));
       }},
      {"names a vertex that is not there",
       [](Parts& p) { p.put(p.json["meshes"][0]["primitives"][0]["indices"], 7, std::uint16_t(60000)); }},
      {"has no whole triangles",
       [](Parts& p) { p.named(p.json["meshes"][0]["primitives"][0]["indices"])["count"] = 7; }},
  });
}

TEST(GltfRules, NodesAndSkins) {
  expect_all_found({
      {"is not of version 2.0", [](Parts& p) { p.json["asset"]["version"] = "1.0"; }},
      {"does not list what is used",
       [](Parts& p) {
         p.json["extensions"]["MARROW_skinning"] = {{"version", 3}};
       }},
      {"/skins/0/joints: is an empty list", [](Parts& p) { p.json["skins"][0]["joints"] = OrderedJson::array(); }},
      {"names a node twice", [](Parts& p) { p.json["skins"][0]["joints"][1] = p.json["skins"][0]["joints"][0]; }},
      {"has no matrix for each", [](Parts& p) { p.named(p.json["skins"][0]["inverseBindMatrices"])["count"] = 1; }},
      {"a matrix that is not affine", [](Parts& p) { p.put(p.json["skins"][0]["inverseBindMatrices"], 15, 2.0f); }},
      {"not the root of its joints", [](Parts& p) { p.json["skins"][0]["skeleton"] = 1; }},
      {"a child with two parents", [](Parts& p) { p.json["nodes"].back()["children"] = {1}; }},
      {"is its own ancestor", [](Parts& p) { p.json["nodes"][2]["children"] = {0}; }},
      {"a node that is no root", [](Parts& p) { p.json["scenes"][0]["nodes"][0] = 1; }},
      {"a rotation of another length",
       [](Parts& p) {
         p.json["nodes"][1]["rotation"] = {1, 1, 0, 0};
       }},
      {"has a skin, but no mesh", [](Parts& p) { p.json["nodes"][1]["skin"] = 0; }},
  });
}

TEST(GltfRules, Animations) {
  expect_all_found({
      {"has times that do not grow", [](Parts& p) { p.put(p.sampler(0)["input"], 1, 0.0f); }},
      {"no list of times with limits",
       [](Parts& p) { p.named(p.sampler(0)["input"]).erase("min"), p.named(p.sampler(0)["input"]).erase("max"); }},
      {"has keys of another type", [](Parts& p) { p.sampler(0)["output"] = p.sampler(0)["input"]; }},
      {"has not as many keys as times", [](Parts& p) { p.named(p.sampler(0)["output"])["count"] = 2; }},
      {"moves what another channel moves",
       [](Parts& p) { p.json["animations"][0]["channels"].push_back(p.json["animations"][0]["channels"][0]); }},
      {"has a rotation of another length",
       [](Parts& p) {
         for (OrderedJson& sampler : p.json["animations"][0]["samplers"]) {
           if (p.named(sampler["output"])["type"] == "VEC4") return p.put(sampler["output"], 0, 7.0f);
         }
       }},
  });
}

}  // namespace
}  // namespace marrow
