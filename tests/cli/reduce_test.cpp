// marrow reduce, as a person or a script would run it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "marrow/deform.hpp"
#include "marrow/io.hpp"
#include "marrow/metrics.hpp"
#include "marrow/synthetic.hpp"
#include "support/files.hpp"
#include "tool.hpp"

namespace marrow {
namespace {

using testing::Outcome;
using testing::run_tool;

class CliReduce : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::output_folder();
    rig_ = synthetic::quadruped({.vertices = 300, .frames = 9});
    write_glb(rig_, folder_ / "dog.glb");
  }
  Outcome run(std::vector<std::string> arguments) { return run_tool(folder_, std::move(arguments)); }
  void expect_refused(int code, const std::string& part, std::vector<std::string> arguments) {
    const Outcome outcome = run(std::move(arguments));
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out.glb"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out.npy"));
  }

  std::filesystem::path folder_;
  Rig rig_;
};

TEST_F(CliReduce, WritesARigWithFewerInfluences) {
  const Outcome outcome = run({"reduce", "dog.glb", "--influences", "2", "-o", "out.glb"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("4 to 2 influences"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("fairness"), std::string::npos) << outcome.out;
  const Rig given = read_rig(folder_ / "dog.glb"), result = read_rig(folder_ / "out.glb");
  EXPECT_EQ(result.weights.max_influences(), 2U);
  EXPECT_EQ(result.skeleton, given.skeleton);
  EXPECT_EQ(result.frames(), given.frames());
  EXPECT_LT(compare(bake(given), result).e_rms, 10);
}

TEST_F(CliReduce, SaysTheSameInJsonAndTheReport) {
  for (const std::string method : {"best-fit", "klargest", "smooth", "geometry", "poisson"}) {
    const Outcome outcome = run({"reduce", "dog.glb", "--influences", "2", "--method", method, "-o", "out.glb",
                                 "--json", "--report", "report.json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["settings"]["method"], method);
    EXPECT_EQ(json["reached"]["influences"], 2);
    EXPECT_GT(json["reached"]["metrics"]["e_rms"], 0);
    EXPECT_EQ(nlohmann::json::parse(testing::read_bytes(folder_ / "report.json"))["reached"], json["reached"]);
  }
}

TEST_F(CliReduce, TakesPosesOrSamplesThem) {
  write_pc2(synthetic::observe(rig_, {.noise = 0.002}), folder_ / "frames.pc2");
  write_obj(rig_.mesh, folder_ / "frames.obj");
  EXPECT_EQ(run({"reduce", "dog.glb", "--influences", "2", "--original", "frames.pc2", "-o", "out.glb"}).code, 0);
  const Outcome sampled = run({"reduce", "dog.glb", "--influences", "2", "--sample", "25", "--ranges", "clips",
                               "--seed", "4", "-o", "sampled.glb"});
  EXPECT_EQ(sampled.code, 0) << sampled.err;
  EXPECT_NE(sampled.out.find("25 poses"), std::string::npos) << sampled.out;
  EXPECT_EQ(read_rig(folder_ / "sampled.glb").frames(), rig_.frames()) << "the clips stay";
  Rig still = rig_;
  still.motion = {{}, rig_.bones(), {}};
  write_glb(still, folder_ / "still.glb");
  const Outcome without = run({"reduce", "still.glb", "--influences", "2", "-o", "fewer.glb"});
  EXPECT_EQ(without.code, 0) << without.err;
  EXPECT_NE(without.out.find("100 poses"), std::string::npos) << without.out;
}

TEST_F(CliReduce, RefusesWhatDoesNothing) {
  expect_refused(2, "--influences", {"reduce", "dog.glb", "--influences", "0", "-o", "out.glb"});
  expect_refused(2, "--sample", {"reduce", "dog.glb", "--ranges", "clips", "-o", "out.glb"});
  expect_refused(2, "NPY", {"reduce", "dog.glb", "-o", "out.npy"});
  expect_refused(2, "--method", {"reduce", "dog.glb", "--method", "best", "-o", "out.glb"});
  expect_refused(1, "missing.glb", {"reduce", "missing.glb", "-o", "out.glb"});
}

TEST_F(CliReduce, MatricesNeedNoBones) {
  write_obj(rig_.mesh, folder_ / "mesh.obj");
  const std::size_t n = rig_.vertices();
  Matrix weights{n, 5, std::vector<float>(5 * n)};
  for (std::size_t i = 0; i < n; ++i) {
    const float part = float(i) / float(n);
    const float row[5] = {0.3F, 0.3F * part, 0.3F * (1 - part), 0.25F, 0.15F};
    std::copy(row, row + 5, weights.row(i).begin());
  }
  write_npy(weights, folder_ / "w.npy");
  for (const char* method : {"klargest", "smooth"}) {
    const Outcome outcome =
        run({"reduce", "w.npy", "--rest", "mesh.obj", "--influences", "3", "--method", method, "-o", "reduced.npy"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const Matrix reduced = read_npy(folder_ / "reduced.npy");
    EXPECT_EQ(std::ranges::count_if(reduced.values, [](float w) { return w > 0; }), std::ptrdiff_t(3 * n));
  }
  EXPECT_EQ(run({"reduce", "w.npy", "--rest", "mesh.obj", "--influences", "3", "-o", "w.glb"}).code, 0);
  EXPECT_EQ(read_rig(folder_ / "w.glb").bones(), 5U);
  expect_refused(2, "--rest", {"reduce", "w.npy", "-o", "out.npy"});
  expect_refused(2, "klargest or smooth",
                 {"reduce", "w.npy", "--rest", "mesh.obj", "--method", "poisson", "-o", "out.npy"});
  expect_refused(2, "--original", {"reduce", "w.npy", "--rest", "mesh.obj", "--original", "x.pc2", "-o", "out.npy"});
  weights.row(0)[0] -= 1;
  weights.row(0)[1] += 1;
  write_npy(weights, folder_ / "signed.npy");
  expect_refused(2, "negative", {"reduce", "signed.npy", "--rest", "mesh.obj", "-o", "out.glb"});
  EXPECT_EQ(run({"reduce", "signed.npy", "--rest", "mesh.obj", "-o", "signed4.npy"}).code, 0);
}

}  // namespace
}  // namespace marrow
