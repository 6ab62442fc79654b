// marrow compress, as a person or a script would run it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "marrow/ddm.hpp"
#include "marrow/decompose.hpp"
#include "marrow/deform.hpp"
#include "marrow/io.hpp"
#include "marrow/metrics.hpp"
#include "marrow/synthetic.hpp"
#include "marrow/two_layer.hpp"
#include "support/files.hpp"
#include "tool.hpp"

namespace marrow {
namespace {

using testing::Outcome;
using testing::run_tool;

class CliCompress : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::output_folder();
    rig_ = dense_lbs(make_ddm(synthetic::quadruped({.vertices = 400, .frames = 6}), {.prune = 0}).value);
    write_glb(rig_, folder_ / "dog.glb");
    write_pc2(bake(rig_), folder_ / "dog.pc2");
    write_obj(rig_.mesh, folder_ / "dog.obj");
  }
  Outcome run(std::vector<std::string> arguments) { return run_tool(folder_, std::move(arguments)); }
  void expect_refused(const std::string& part, std::vector<std::string> arguments) {
    const Outcome outcome = run(std::move(arguments));
    EXPECT_NE(outcome.code, 0);
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out.glb"));
  }

  std::filesystem::path folder_;
  Rig rig_;
};

TEST_F(CliCompress, WritesLayersThatPlay) {
  const Outcome outcome = run({"compress", "dog.glb", "--bones-per-vertex", "3", "-o", "out.glb", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_LE(json["reached"]["bones_per_vertex"], 3.05);
  const auto model = std::get<TwoLayerRig>(read_model(folder_ / "out.glb"));
  EXPECT_EQ(json["reached"]["virtual_bones"], model.virtual_bone_count());
  EXPECT_LE(model.rig.weights.max_influences(), 4u);
  EXPECT_NEAR(json["reached"]["metrics"]["e_rms"], compare(bake(rig_), model).e_rms, 1e-3);
  // The other commands play the layers too.
  const Outcome compared = run({"compare", "out.glb", "--original", "dog.pc2", "--json"});
  ASSERT_EQ(compared.code, 0) << compared.err;
  EXPECT_NEAR(nlohmann::json::parse(compared.out)["e_rms"], json["reached"]["metrics"]["e_rms"], 1e-3);
}

TEST_F(CliCompress, ByErrorByBonesAndWithPoses) {
  for (const std::vector<std::string>& how :
       std::vector<std::vector<std::string>>{{"--weight-error", "8"},
                                             {"--virtual-bones", "40"},
                                             {"--original", "dog.pc2"},
                                             {"--original", "clips", "--coefficients", "2"}}) {
    std::vector<std::string> arguments = {"compress", "dog.glb", "-o", "out.glb", "--json", "--effort", "fast"};
    arguments.insert(arguments.end(), how.begin(), how.end());
    const Outcome outcome = run(arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_LE(json["reached"]["weight_error"], how[0] == "--weight-error" ? 8.05 : 1000);
    EXPECT_LE(json["reached"]["virtual_bones"], how[0] == "--virtual-bones" ? 40U : rig_.vertices());
  }
  const Outcome missed = run({"compress", "dog.glb", "-o", "out.glb", "--weight-error", "1e-9", "--effort", "fast"});
  EXPECT_EQ(missed.code, 3) << missed.err;
}

TEST_F(CliCompress, ErrorsOfPositionsHaveOneGrammar) {
  const double size = size_of(rig_.mesh.positions);
  const auto reached = [&](const std::string& error) {
    const Outcome outcome = run({"compress", "dog.glb", "--original", "clips", "--error", error, "--effort", "fast",
                                 "-o", "out.glb", "--json"});
    EXPECT_EQ(outcome.code, 0) << error << ": " << outcome.err;
    return nlohmann::json::parse(outcome.out)["reached"]["metrics"];
  };
  EXPECT_LE(reached("5")["e_rms"], 5);
  EXPECT_LE(reached("0.3%")["error"]["rms"].get<double>(), 1.01 * 0.003 * size);
  EXPECT_LE(reached(std::to_string(0.003 * size) + "u")["error"]["rms"].get<double>(), 1.01 * 0.003 * size);
  std::filesystem::remove(folder_ / "out.glb");
  expect_refused("--weight-error", {"compress", "dog.glb", "--error", "5", "-o", "out.glb"});
  expect_refused("--error", {"compress", "dog.glb", "--original", "clips", "--weight-error", "5", "-o", "out.glb"});
  expect_refused("\"5 %\"", {"compress", "dog.glb", "--original", "clips", "--error", "5 %", "-o", "out.glb"});
}

TEST_F(CliCompress, ThinRigsAreWarnedOf) {
  const Rig thin = synthetic::quadruped({.vertices = 300, .frames = 3});
  write_glb(thin, folder_ / "thin.glb");
  const Outcome outcome = run({"compress", "thin.glb", "--bones-per-vertex", "5", "--effort", "fast", "-o", "out.glb",
                               "--report", "report.json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("marrow reduce"), std::string::npos) << outcome.err;
  EXPECT_NE(testing::read_bytes(folder_ / "report.json").find("thin already"), std::string::npos);
  const Outcome dense = run({"compress", "dog.glb", "--bones-per-vertex", "3", "--effort", "fast", "-o", "out.glb"});
  EXPECT_EQ(dense.err.find("thin already"), std::string::npos) << dense.err;
}

TEST_F(CliCompress, WhatWasRefittedIsInTheFile) {
  const Sequence jelly = synthetic::jelly({.vertices = 300, .frames = 14});
  const DecomposeOptions options{.bones = 8, .influences = 8, .smooth = 0, .effort = Effort::fast};
  const Rig rig = decompose(jelly, options).value;
  write_glb(rig, folder_ / "jelly.glb");
  write_pc2(jelly, folder_ / "jelly.pc2");
  write_obj(jelly.mesh, folder_ / "jelly.obj");
  double last = 1e9;
  for (const std::string what : {"none", "rest", "all"}) {
    SCOPED_TRACE(what);
    const Outcome outcome = run({"compress", "jelly.glb", "--bones-per-vertex", "3", "--original", "jelly.pc2",
                                 "--refit", what, "--effort", "fast", "-o", what + ".glb", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    const auto model = std::get<TwoLayerRig>(read_model(folder_ / (what + ".glb")));
    const double e_rms = compare(jelly, model).e_rms;
    EXPECT_NEAR(json["reached"]["metrics"]["e_rms"], e_rms, 1e-3 * e_rms);
    EXPECT_LT(e_rms, 0.98 * last);
    last = e_rms;
    EXPECT_EQ(json["figures"].contains("rest_moved"), what != "none");
    EXPECT_EQ(model.rig.mesh.positions == rig.mesh.positions, what == "none");
    double moved = 0;
    for (std::size_t e = 0; e < rig.motion.transforms.size(); ++e) {
      for (std::size_t q = 0; q < 12; ++q) {
        const double now = model.rig.motion.transforms[e].m[q], given = rig.motion.transforms[e].m[q];
        moved = std::max(moved, std::abs(now - given));
      }
    }
    EXPECT_EQ(moved > 1e-3, what == "all") << moved;
  }
}

TEST_F(CliCompress, BakedVirtualBonesAreAPlainSkin) {
  const Outcome outcome = run({"compress", "dog.glb", "--virtual-bones", "60", "--bake", "-o", "out.glb", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(has_model(folder_ / "out.glb"));
  const Rig rig = read_rig(folder_ / "out.glb");
  EXPECT_LE(rig.bones(), 60u);
  EXPECT_NEAR(compare(bake(rig_), rig).e_rms, nlohmann::json::parse(outcome.out)["reached"]["metrics"]["e_rms"], 1e-2);
}

TEST_F(CliCompress, WeightsWithoutBones) {
  Matrix matrix{rig_.vertices(), 3, {}};
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const float t = float(i) / float(matrix.rows);
    matrix.values.insert(matrix.values.end(), {1.2F - t, t, -0.2F});
  }
  write_npy(matrix, folder_ / "cage.npy");
  const Outcome outcome = run({"compress", "cage.npy", "--rest", "dog.obj", "-o", "out.glb"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto model = std::get<TwoLayerRig>(read_model(folder_ / "out.glb"));
  EXPECT_FALSE(is_convex(model.virtual_bones));
  EXPECT_EQ(model.rig.bones(), 3u);
}

TEST_F(CliCompress, RefusesWhatCannotBe) {
  expect_refused("one of", {"compress", "dog.glb", "--weight-error", "1", "--virtual-bones", "9", "-o", "out.glb"});
  expect_refused("above 1", {"compress", "dog.glb", "--bones-per-vertex", "0.5", "-o", "out.glb"});
  expect_refused("--weight-error", {"compress", "dog.glb", "--error", "1", "-o", "out.glb"});
  expect_refused("--error", {"compress", "dog.glb", "--weight-error", "1", "--original", "clips", "-o", "out.glb"});
  expect_refused("2 to 4", {"compress", "dog.glb", "--coefficients", "7", "-o", "out.glb"});
  expect_refused("negative", {"compress", "dog.glb", "--signed", "--bake", "-o", "out.glb"});
  expect_refused("--original", {"compress", "dog.glb", "--refit", "rest", "-o", "out.glb"});
  expect_refused("parent", {"compress", "dog.glb", "--refit", "all", "--original", "clips", "-o", "out.glb"});
  expect_refused("--rest", {"compress", "cage.npy", "-o", "out.glb"});
  expect_refused("is not there", {"compress", "nothing.glb", "-o", "out.glb"});
}

}  // namespace
}  // namespace marrow
