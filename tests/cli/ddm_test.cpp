// marrow ddm, as a person or a script would run it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "marrow/ddm.hpp"
#include "marrow/ddm_compression.hpp"
#include "marrow/io.hpp"
#include "marrow/metrics.hpp"
#include "marrow/synthetic.hpp"
#include "support/files.hpp"
#include "support/glb_builder.hpp"
#include "support/page.hpp"
#include "tool.hpp"

namespace marrow {
namespace {

using testing::Outcome;
using testing::run_tool;

class CliDdm : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::output_folder();
    write_glb(synthetic::arm({.vertices = 500, .frames = 6}), folder_ / "arm.glb");
  }
  Outcome run(std::vector<std::string> arguments) { return run_tool(folder_, std::move(arguments)); }

  std::filesystem::path folder_;
};

TEST_F(CliDdm, WritesAModelBesideThePlainSkin) {
  const Outcome outcome = run({"ddm", "arm.glb", "-o", "out.glb", "--delta-mush"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("multi-weights per vertex"), std::string::npos);
  EXPECT_NE(outcome.out.find("distance to Delta Mush"), std::string::npos);
  const DdmRig ddm = std::get<DdmRig>(read_model(folder_ / "out.glb"));
  EXPECT_EQ(ddm.rig.weights, read_rig(folder_ / "arm.glb").weights);
}

TEST_F(CliDdm, SaysEverythingInJson) {
  const Outcome outcome =
      run({"ddm", "arm.glb", "-o", "out.glb", "--json", "--alpha", "0.2", "--report", "report.json", "--delta-mush"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["settings"]["alpha"], 0.2);
  EXPECT_EQ(json["reached"]["vertices"], read_rig(folder_ / "arm.glb").vertices());
  EXPECT_GT(json["reached"]["multi_weights"], 0);
  EXPECT_LT(json["reached"]["rms_distance_to_delta_mush"]["this"],
            json["reached"]["rms_distance_to_delta_mush"]["plain_skin"]);
  EXPECT_EQ(nlohmann::json::parse(testing::read_bytes(folder_ / "report.json"))["reached"], json["reached"]);
}

TEST_F(CliDdm, CompressesAndBakes) {
  const Outcome outcome = run({"ddm", "arm.glb", "--compress", "20", "--influences", "3", "-o", "small.glb", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_LE(json["reached"]["virtual_bones"], 20);
  EXPECT_GT(json["reached"]["difference_to_full_model"]["error"]["rms"], 0);
  const auto model = std::get<CompressedDdm>(read_model(folder_ / "small.glb"));
  EXPECT_LE(model.weights.max_influences(), 3u);
  const Outcome baked = run({"ddm", "arm.glb", "--compress", "20", "--influences", "3", "--bake", "-o", "baked.glb"});
  ASSERT_EQ(baked.code, 0) << baked.err;
  EXPECT_FALSE(has_model(folder_ / "baked.glb"));
  EXPECT_LT(compare(bake(model), read_rig(folder_ / "baked.glb")).error.max, 1e-4 * size_of(model.rig.mesh.positions));
  const Outcome bytes = run({"ddm", "arm.glb", "--bytes", "5000", "-o", "bytes.glb", "--json"});
  ASSERT_EQ(bytes.code, 0) << bytes.err;
  EXPECT_LE(nlohmann::json::parse(bytes.out)["reached"]["bytes"], 5000);
  EXPECT_NE(run({"ddm", "arm.glb", "--bake", "-o", "none.glb"}).err.find("--compress"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none.glb"));
}

TEST_F(CliDdm, ErrorsNeedAUnit) {
  const Outcome bare = run({"ddm", "arm.glb", "--error", "2", "-o", "out.glb"});
  EXPECT_EQ(bare.code, 2);
  EXPECT_NE(bare.err.find("write 2%"), std::string::npos) << bare.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.glb"));
  const double size = size_of(read_rig(folder_ / "arm.glb").mesh.positions);
  std::vector<double> reached;
  for (const std::string& error : {std::string("2%"), std::to_string(0.02 * size) + "u"}) {
    const Outcome outcome = run({"ddm", "arm.glb", "--error", error, "-o", "out.glb", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    reached.push_back(nlohmann::json::parse(outcome.out)["reached"]["virtual_bones"]);
  }
  EXPECT_EQ(reached[0], reached[1]);
}

TEST_F(CliDdm, VertexColoursScaleTheSmoothing) {
  testing::GlbBuilder glb = testing::skinned_glb();
  const std::size_t black = glb.add_accessor<std::uint8_t>(std::vector<std::uint8_t>(24, 0), 4, true);
  glb.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = black;
  const std::string file = glb.save("black.glb").string();  // less than glTF asks for: gone before the validator looks
  EXPECT_EQ(run({"ddm", file, "-o", "painted.glb", "--vertex-colors"}).code, 0);
  EXPECT_EQ(
      run({"ddm", file, "-o", "none.glb", "--rotation-reach", "0", "--translation-reach", "0", "--alpha", "0"}).code,
      0);
  EXPECT_EQ(run({"ddm", file, "-o", "default.glb"}).code, 0);
  EXPECT_EQ(std::get<DdmRig>(read_model(folder_ / "painted.glb")), std::get<DdmRig>(read_model(folder_ / "none.glb")));
  EXPECT_NE(std::get<DdmRig>(read_model(folder_ / "painted.glb")),
            std::get<DdmRig>(read_model(folder_ / "default.glb")));
  std::filesystem::remove(file);
}

TEST_F(CliDdm, TheModelIsWhatIsComparedAndDrawn) {
  EXPECT_EQ(run({"ddm", "arm.glb", "-o", "out.glb"}).code, 0);
  write_pc2(bake(std::get<DdmRig>(read_model(folder_ / "out.glb"))), folder_ / "played.pc2");
  write_obj(read_rig(folder_ / "out.glb").mesh, folder_ / "played.obj");
  const Outcome outcome = run({"compare", "out.glb", "--original", "played.pc2", "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_LT(nlohmann::json::parse(outcome.out)["e_rms"], 1e-3);
  EXPECT_EQ(run({"render", "out.glb", "-o", "model.png", "--frame", "3"}).code, 0);
  EXPECT_EQ(run({"render", "arm.glb", "-o", "plain.png", "--frame", "3"}).code, 0);
  EXPECT_NE(testing::read_bytes(folder_ / "model.png"), testing::read_bytes(folder_ / "plain.png"));
  EXPECT_NE(run({"convert", "out.glb", "out.pc2"}).err.find("left out"), std::string::npos);
  EXPECT_EQ(run({"view", "out.glb", "--up", "z", "-o", "view.html"}).code, 2);
}

TEST_F(CliDdm, DenseLbsIsAPlainRig) {
  const Outcome outcome = run({"ddm", "arm.glb", "-o", "dense.glb", "--variant", "dense-lbs", "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(nlohmann::json::parse(outcome.out)["reached"].contains("multi_weights"));
  EXPECT_FALSE(has_model(folder_ / "dense.glb"));
  EXPECT_NE(read_rig(folder_ / "dense.glb").weights, read_rig(folder_ / "arm.glb").weights);
}

TEST_F(CliDdm, PlaysSampledPoses) {
  write_text(R"({"default": 20})", folder_ / "ranges.json");
  for (const char* ranges : {"default", "clips", "ranges.json"}) {
    const Outcome outcome = run({"ddm", "arm.glb", "-o", "out.glb", "--sample", "7", "--ranges", ranges});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(read_rig(folder_ / "out.glb").frames(), 7u);
  }
}

TEST_F(CliDdm, MakesAPageAndViewsIt) {
  MARROW_NEEDS_PAGE();
  EXPECT_EQ(run({"ddm", "arm.glb", "-o", "out.glb", "--report", "page.html"}).code, 0);
  const Outcome outcome = run({"view", "out.glb", "-o", "view.html"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* file : {"page.html", "view.html"}) {
    EXPECT_NE(testing::read_bytes(folder_ / file).find("direct_delta_mush"), std::string::npos) << file;
  }
}

TEST_F(CliDdm, NamesWhatIsWrong) {
  write_glb(synthetic::arm({.vertices = 100, .frames = 2}), folder_ / "small.glb");
  const auto refuse = [&](int code, const std::string& part, std::vector<std::string> arguments) {
    const Outcome outcome = run(std::move(arguments));
    EXPECT_EQ(outcome.code, code) << outcome.out;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  };
  refuse(2, "alpha", {"ddm", "arm.glb", "-o", "out.glb", "--alpha", "2"});
  refuse(2, "--vertex-colors", {"ddm", "arm.glb", "-o", "out.glb", "--vertex-colors"});
  refuse(2, "one skinned GLB", {"ddm", "arm.glb", "small.glb", "-o", "out.glb"});
  refuse(1, "none.json", {"ddm", "arm.glb", "-o", "out.glb", "--sample", "3", "--ranges", "none.json"});
  refuse(2, "--sample", {"ddm", "arm.glb", "-o", "out.glb", "--ranges", "clips"});
  // A clip in which nothing moves shows no ranges.
  Rig still = synthetic::arm({.vertices = 60, .frames = 2});
  std::ranges::fill(still.motion.transforms, Affine{});
  write_glb(still, folder_ / "still.glb");
  refuse(2, "bones move", {"ddm", "still.glb", "-o", "out.glb", "--sample", "3", "--ranges", "clips"});
  refuse(2, "--sample", {"ddm", "arm.glb", "-o", "out.glb", "--seed", "3"});
  refuse(2, "uniform", {"ddm", "arm.glb", "-o", "out.glb", "--lambda", "3"});
  refuse(2, "--smoothing distance only",
         {"ddm", "arm.glb", "-o", "out.glb", "--smoothing", "uniform", "--rotation-reach", "1"});
  write_obj(read_rig(folder_ / "arm.glb").mesh, folder_ / "mesh.obj");
  refuse(1, "not a rig", {"ddm", "mesh.obj", "-o", "out.glb"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.glb"));
}

}  // namespace
}  // namespace marrow
