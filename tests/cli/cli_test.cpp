// Runs the tool as a person or a script would.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "marrow/io.hpp"
#include "marrow/synthetic.hpp"
#include "marrow/view.hpp"
#include "support/files.hpp"
#include "support/page.hpp"
#include "tool.hpp"

namespace marrow {
namespace {

namespace fs = std::filesystem;
using testing::Outcome;
using testing::output_folder;
using testing::read_bytes;
using testing::run_tool;
using testing::Tool;

class Cli : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = output_folder();
    rig_ = synthetic::arm({.vertices = 600, .frames = 12});
    write_glb(rig_, folder_ / "arm.glb");
  }
  Outcome tool(std::vector<std::string> arguments) { return run_tool(folder_, std::move(arguments)); }

  /// Nothing but what was there before and what is named may be in the folder.
  void expect_only(std::vector<std::string> names) {
    names.insert(names.end(), {"arm.glb", "stdout.txt", "stderr.txt"});
    for (const auto& entry : fs::directory_iterator(folder_)) {
      EXPECT_NE(std::find(names.begin(), names.end(), entry.path().filename().string()), names.end())
          << entry.path() << " was left behind";
    }
  }

  fs::path folder_;
  Rig rig_;
};

TEST_F(Cli, EveryCommandHasHelpWithAnExample) {
  for (const char* command :
       {"info", "convert", "compare", "render", "decompose", "skeleton", "reduce", "compress", "ddm", "view", "demo"}) {
    const Outcome help = tool({command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find(std::string("Example:\n  marrow ") + command), std::string::npos) << help.out;
    for (const char* flag : {"--json", "--threads", "--quiet"}) EXPECT_NE(help.out.find(flag), std::string::npos);
  }
  EXPECT_EQ(tool({"--version"}).code, 0);
}

TEST_F(Cli, InfoSaysWhatIsInside) {
  const Outcome outcome = tool({"info", "arm.glb", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["kind"], "rig");
  EXPECT_EQ(json["vertices"], rig_.vertices());
  EXPECT_EQ(json["bones"], rig_.bones());
  EXPECT_EQ(json["frames"], 12);
  EXPECT_EQ(json["rigid"], true);
  EXPECT_EQ(json["bone_names"], nlohmann::json(rig_.skeleton.names));
  EXPECT_NE(tool({"info", "arm.glb"}).out.find("bones"), std::string::npos);
}

TEST_F(Cli, ConvertsAndComparesRoundTrips) {
  ASSERT_EQ(tool({"convert", "arm.glb", "arm.pc2"}).code, 0);
  ASSERT_EQ(tool({"convert", "arm.glb", "rest.obj", "--frame", "0"}).code, 0);
  ASSERT_EQ(tool({"convert", "arm.glb", "frames"}).code, 0);
  EXPECT_TRUE(fs::exists(folder_ / "frames"));
  for (const char* other : {"arm.pc2", "frames"}) {
    const Outcome outcome = tool({"compare", other, "--original", "arm.glb", "--rest", "rest.obj", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_LT(nlohmann::json::parse(outcome.out)["e_rms"], 1e-3);
  }
}

TEST_F(Cli, ErrorBoundsDecideTheExitCode) {
  ASSERT_EQ(tool({"convert", "arm.glb", "still.obj", "--frame", "3"}).code, 0);
  Sequence off = read_sequence({(folder_ / "arm.glb").string()});
  for (Vec3& p : off.positions) p.x += 0.01f;
  write_pc2(off, folder_ / "off.pc2");
  const auto code = [&](const char* bound) {
    return tool({"compare", "off.pc2", "--original", "arm.glb", "--rest", "still.obj", "--error", bound}).code;
  };
  EXPECT_EQ(code("0.011u"), 0);
  EXPECT_EQ(code("0.009u"), 3);
  EXPECT_EQ(code("100%"), 0);
  EXPECT_EQ(code("0.001%"), 3);
  EXPECT_EQ(code("1000"), 0);
  EXPECT_EQ(code("0.01"), 3);
  EXPECT_EQ(code("lots"), 2);
  EXPECT_EQ(code("-1"), 2);
}

TEST_F(Cli, BadInputAndBadUsageAreToldApart) {
  const Outcome missing = tool({"info", "nowhere.glb"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("nowhere.glb"), std::string::npos);
  EXPECT_EQ(tool({"frobnicate"}).code, 2);
  EXPECT_EQ(tool({"info"}).code, 2);
  EXPECT_EQ(tool({"info", "arm.glb", "--up", "w"}).code, 2);
  EXPECT_EQ(tool({"info", "arm.glb", "--unit", "parsec"}).code, 2);
  EXPECT_EQ(tool({"convert", "arm.glb", "arm.xyz"}).code, 2);
  EXPECT_EQ(tool({"convert", "arm.glb", "one.obj"}).code, 2);
  EXPECT_EQ(tool({"convert", "arm.glb", "arm.pc2", "--clip", "nope"}).code, 2);
  EXPECT_EQ(tool({"render", "arm.glb", "-o", "a.png", "--frame", "99"}).code, 2);
  EXPECT_EQ(tool({"convert", "arm.glb", "no/such/folder/arm.pc2"}).code, 1);
  expect_only({});
}

TEST_F(Cli, UnitAndUpAxisAreApplied) {
  const auto bounds = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"info", "arm.glb", "--json"});
    return nlohmann::json::parse(tool(flags).out)["bounds"];
  };
  const auto plain = bounds({}), small = bounds({"--unit", "cm"}), turned = bounds({"--up", "z"});
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(small[1][k].get<double>(), 0.01 * plain[1][k].get<double>(), 1e-6);
  EXPECT_NEAR(turned[1][1].get<double>(), plain[1][2].get<double>(), 1e-6);
}

TEST_F(Cli, RendersEveryColourMode) {
  ASSERT_EQ(tool({"convert", "arm.glb", "arm.pc2"}).code, 0);
  ASSERT_EQ(tool({"convert", "arm.glb", "arm.obj", "--frame", "0"}).code, 0);
  for (const std::vector<std::string>& flags : std::vector<std::vector<std::string>>{
           {"--color", "clay", "--wireframe"},
           {"--color", "bones", "--bones", "--frame", "0,6,11"},
           {"--color", "weights", "--bone", rig_.skeleton.names[1], "--view", "front"},
           {"--original", "arm.pc2", "--top", "0.1"}}) {
    std::vector<std::string> arguments{"render", "arm.glb", "-o", "picture.png", "--size", "320x240"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome outcome = tool(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(read_bytes(folder_ / "picture.png").substr(1, 3), "PNG");
  }
  EXPECT_EQ(tool({"render", "arm.pc2", "--color", "bones", "-o", "x.png"}).code, 2);
  EXPECT_EQ(tool({"render", "arm.glb", "--color", "error", "-o", "x.png"}).code, 2);
}

TEST_F(Cli, ThreadCountsGiveTheSameBytes) {
  std::vector<std::string> glbs, caches, figures;
  for (const char* threads : {"1", "2", "7"}) {
    ASSERT_EQ(tool({"convert", "arm.glb", "again.glb", "--threads", threads}).code, 0);
    ASSERT_EQ(tool({"convert", "arm.glb", "again.pc2", "--threads", threads}).code, 0);
    glbs.push_back(read_bytes(folder_ / "again.glb"));
    caches.push_back(read_bytes(folder_ / "again.pc2"));
    figures.push_back(
        tool({"compare", "again.glb", "--original", "arm.glb", "--json", "--per-vertex", "--threads", threads}).out);
  }
  for (const auto& outcomes : {glbs, caches, figures}) {
    EXPECT_FALSE(outcomes[0].empty());
    EXPECT_EQ(outcomes[0], outcomes[1]);
    EXPECT_EQ(outcomes[0], outcomes[2]);
  }
}

TEST_F(Cli, FullDiskLeavesTheOldFile) {
  testing::write_bytes(folder_ / "arm.pc2", "old");
  write_obj(rig_.mesh, folder_ / "arm.obj");  // else it would be the first that does not fit
  Tool full(folder_, {"convert", "arm.glb", "arm.pc2"}, 4096);
  const Outcome outcome = full.wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("arm.pc2"), std::string::npos) << outcome.err;
  EXPECT_EQ(read_bytes(folder_ / "arm.pc2"), "old");
  expect_only({"arm.pc2", "arm.obj"});
}

TEST_F(Cli, ControlCStopsAndLeavesNothing) {
  const Sequence long_one = synthetic::jelly({.vertices = 20'000, .frames = 60});
  write_obj(long_one.mesh, folder_ / "long.obj");
  write_pc2(long_one, folder_ / "long.pc2");
  Tool running(folder_, {"convert", "long.pc2", "many"});
  // The signal comes as soon as something of the output is there, long before all of it is.
  const auto has_begun = [&] {
    return std::ranges::any_of(fs::directory_iterator(folder_), [](const fs::directory_entry& entry) {
      return entry.path().filename().string().starts_with(".marrow-");
    });
  };
  for (int k = 0; k < 6000 && !has_begun(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(running.pid(), SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  expect_only({"long.obj", "long.pc2"});
}

TEST_F(Cli, DecomposesIntoARigOthersCanRead) {
  ASSERT_EQ(tool({"decompose", "arm.glb", "--bones", "8", "-o", "found.glb", "--report", "report.json"}).code, 0);
  const auto report = nlohmann::json::parse(read_bytes(folder_ / "report.json"));
  EXPECT_EQ(report["reached"]["bones"], 8);
  EXPECT_EQ(report["settings"]["effort"], "normal");
  EXPECT_EQ(tool({"compare", "found.glb", "--original", "arm.glb", "--error", "0.1%"}).code, 0);
  EXPECT_EQ(tool({"decompose", "arm.glb", "--bones", "1", "-o", "one.glb", "--error", "0.1%"}).code, 3);
  EXPECT_TRUE(fs::exists(folder_ / "one.glb"));
  EXPECT_EQ(tool({"decompose", "arm.glb", "--bones", "0", "-o", "none.glb"}).code, 2);
  EXPECT_EQ(tool({"decompose", "arm.glb", "--influences", "some", "-o", "none.glb"}).code, 2);
  EXPECT_FALSE(fs::exists(folder_ / "none.glb"));
}

TEST_F(Cli, DecomposesToAnErrorAndAlongACurve) {
  const Outcome few = tool({"decompose", "arm.glb", "--error", "10", "--max-bones", "12", "-o", "few.glb", "--json"});
  ASSERT_EQ(few.code, 0) << few.err;
  const auto reached = nlohmann::json::parse(few.out)["reached"];
  EXPECT_LE(reached["metrics"]["e_rms"].get<double>(), 10);
  EXPECT_LT(reached["bones"].get<int>(), 12);

  const Outcome curve = tool({"decompose", "arm.glb", "--bones", "auto", "--max-bones", "10", "--curve", "curve.json",
                              "--also", "2,5", "-o", "auto.glb"});
  ASSERT_EQ(curve.code, 0) << curve.err;
  const auto points = nlohmann::json::parse(read_bytes(folder_ / "curve.json"));
  EXPECT_EQ(points["points"].size(), 10u);
  EXPECT_EQ(read_rig(folder_ / "auto.glb").bones(), points["knee"].get<std::size_t>());
  EXPECT_EQ(read_rig(folder_ / "auto-2.glb").bones(), 2u);
  EXPECT_EQ(read_rig(folder_ / "auto-5.glb").bones(), 5u);
  EXPECT_EQ(tool({"decompose", "arm.glb", "--also", "99", "--max-bones", "5", "--bones", "3", "-o", "x.glb"}).code, 2);
}

TEST_F(Cli, DecomposeWritesAPage) {
  MARROW_NEEDS_PAGE();
  ASSERT_EQ(tool({"decompose", "arm.glb", "--bones", "4", "-o", "four.glb", "--report", "page.html"}).code, 0);
  EXPECT_NE(read_bytes(folder_ / "page.html").find("<html"), std::string::npos);
}

TEST_F(Cli, DecomposesInEveryKindAndInParts) {
  for (const char* kind : {"rigid", "scale", "stretch", "flexible"}) {
    const Outcome outcome = tool({"decompose", "arm.glb", "--bones", "5", "--kind", kind, "--rest-pose", "alternate",
                                  "--rest-limit", "1", "--effort", "fast", "-o", std::string(kind) + ".glb"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("rest_pose_moved_max_percent"), std::string::npos);
  }
  for (const char* share : {"0", "1", "-0.5"}) {
    EXPECT_EQ(tool({"decompose", "arm.glb", "--bones", "6", "--holdout", share, "-o", "none.glb"}).code, 2) << share;
    EXPECT_FALSE(fs::exists(folder_ / "none.glb")) << share;
  }
  const Outcome held = tool({"decompose", "arm.glb", "--bones", "6", "--holdout", "0.5", "-o", "held.glb"});
  ASSERT_EQ(held.code, 0) << held.err;
  EXPECT_NE(held.out.find("e_rms_unseen"), std::string::npos);
  ASSERT_EQ(tool({"decompose", "arm.glb", "--motion-for", "held.glb", "-o", "moved.glb"}).code, 0);
  const Outcome weighed = tool({"decompose", "arm.glb", "--weights-for", "arm.glb", "-o", "weighed.glb"});
  ASSERT_EQ(weighed.code, 0) << weighed.err;
  EXPECT_NE(weighed.out.find("bones_without_vertices: 0"), std::string::npos) << weighed.out;
  const Skeleton kept = read_rig(folder_ / "weighed.glb").skeleton;
  EXPECT_EQ(kept.names, rig_.skeleton.names);
  EXPECT_EQ(kept.parents, rig_.skeleton.parents);
  EXPECT_EQ(tool({"decompose", "arm.glb", "--kind", "rubber", "-o", "x.glb"}).code, 2);
  EXPECT_EQ(tool({"decompose", "arm.glb", "--smooth", "-1", "-o", "x.glb"}).code, 2);
}

TEST_F(Cli, KeepBestGoesOnlyWithOneRig) {
  const std::vector<std::vector<std::string>> others = {{"--curve", "curve.json"},  {"--also", "2,5"},
                                                        {"--bones", "auto"},        {"--error", "1.5"},
                                                        {"--holdout", "0.5"},       {"--weights-for", "arm.glb"},
                                                        {"--motion-for", "arm.glb"}};
  for (const std::vector<std::string>& flags : others) {
    // The input is not there: what is refused is refused before anything is read.
    std::vector<std::string> arguments{"decompose", "nowhere.pc2", "-o", "x.glb", "--keep-best"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome outcome = tool(arguments);
    EXPECT_EQ(outcome.code, 2) << flags[0];
    EXPECT_NE(outcome.err.find("--keep-best: with " + flags[0]), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(tool({"decompose", "arm.glb", "--bones", "4", "--error", "50%", "--keep-best", "-o", "x.glb"}).code, 0);
}

TEST_F(Cli, DemoWritesAPage) {
  MARROW_NEEDS_PAGE();
  const Outcome outcome = tool({"demo", "-o", "page", "--vertices", "800", "--bones", "8"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("page/index.html"), std::string::npos);
  for (const char* name : {"index.html", "quadruped.glb", "quadruped.pc2", "quadruped.obj"}) {
    EXPECT_TRUE(fs::exists(folder_ / "page" / name)) << name;
  }
  EXPECT_NE(read_bytes(folder_ / "page" / "index.html").find("A walking quadruped"), std::string::npos);
  ASSERT_EQ(tool({"demo", "-o", "page", "--vertices", "800", "--bones", "8", "--report", "figures.json"}).code, 0);
  const auto json = nlohmann::json::parse(read_bytes(folder_ / "figures.json"));
  EXPECT_EQ(json["reached"]["bones"], 8);
  EXPECT_GT(json["reached"]["bytes"]["morph_targets"], json["reached"]["bytes"]["rig"]);
}

TEST_F(Cli, ViewWritesPages) {
  MARROW_NEEDS_PAGE();
  const Outcome rig = tool({"view", "arm.glb"});
  ASSERT_EQ(rig.code, 0) << rig.err;
  EXPECT_NE(rig.out.find("arm.html"), std::string::npos);
  ASSERT_EQ(tool({"convert", "arm.glb", "arm.pc2"}).code, 0);
  ASSERT_EQ(tool({"convert", "arm.glb", "arm.obj", "--frame", "0"}).code, 0);
  const Outcome both = tool({"view", "arm.glb", "--original", "arm.pc2", "-o", "both.html", "--json"});
  ASSERT_EQ(both.code, 0) << both.err;
  const auto json = nlohmann::json::parse(both.out);
  EXPECT_EQ(json["frames"], 12);
  EXPECT_EQ(json["bytes"], fs::file_size(folder_ / "both.html"));
  EXPECT_NE(tool({"view", "arm.glb", "arm.pc2", "-o", "again.html"}).code, 0);
  EXPECT_FALSE(fs::exists(folder_ / "again.html"));
  ASSERT_EQ(tool({"view", "arm.pc2", "-o", "frames.html", "--title", "Just frames"}).code, 0);
  EXPECT_NE(read_bytes(folder_ / "frames.html").find("Just frames"), std::string::npos);
}

TEST_F(Cli, ViewSamplesFramesAboveTheLimitAndSaysSo) {
  MARROW_NEEDS_PAGE();
  const Outcome outcome = tool({"view", "arm.glb", "--size-limit", "0.001"});
  ASSERT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("1 of 12 frames"), std::string::npos) << outcome.err;
}

TEST_F(Cli, ViewRefusesWhatDoesNotFit) {
  MARROW_NEEDS_PAGE();
  ASSERT_EQ(tool({"convert", "arm.glb", "arm.pc2"}).code, 0);
  ASSERT_EQ(tool({"convert", "arm.glb", "arm.obj", "--frame", "0"}).code, 0);
  const Outcome frames = tool({"view", "arm.pc2", "--original", "arm.pc2", "-o", "page.html"});
  EXPECT_EQ(frames.code, 2);
  EXPECT_NE(frames.err.find("arm.pc2"), std::string::npos) << frames.err;
  const Outcome other = tool({"view", "arm.glb", "--original", "arm.obj", "-o", "page.html"});
  EXPECT_EQ(other.code, 1);
  EXPECT_NE(other.err.find("frames"), std::string::npos) << other.err;
  EXPECT_EQ(tool({"view", "missing.glb", "-o", "page.html"}).code, 1);
  EXPECT_EQ(tool({"view", "arm.glb", "-o", "no/such/page.html"}).code, 1);
  EXPECT_FALSE(fs::exists(folder_ / "page.html"));
}

TEST_F(Cli, SkeletonFromFramesFromARigAndFromATree) {
  const Outcome found =
      tool({"skeleton", "arm.glb", "-o", "skeleton.glb", "--effort", "fast", "--report", "report.json", "--json"});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(nlohmann::json::parse(found.out)["settings"]["method"], "multi");
  const Rig rig = read_rig(folder_ / "skeleton.glb");
  EXPECT_EQ(std::ranges::count(rig.skeleton.parents, -1), 1);
  ASSERT_EQ(tool({"convert", "arm.glb", "arm.pc2"}).code, 0);
  ASSERT_EQ(tool({"convert", "arm.glb", "rest.obj", "--frame", "0"}).code, 0);
  const std::vector<std::string> frames = {"arm.pc2", "--rest", "rest.obj", "--effort", "fast"};
  const auto with_frames = [&](std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), frames.begin(), frames.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return tool(arguments);
  };
  for (const char* method : {"multi", "schaefer"}) {
    const Outcome one = with_frames({"skeleton"}, {"-o", "frames.glb", "--bones", "6", "--method", method});
    EXPECT_EQ(one.code, 0) << one.err;
    EXPECT_NE(one.out.find("6 bones and"), std::string::npos) << one.out;
  }
  const Outcome both = with_frames({"decompose"}, {"--bones", "5", "-o", "both.glb", "--skeleton"});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(read_rig(folder_ / "both.glb").skeleton.names[0], "root");
}

TEST_F(Cli, SkeletonRefusesWhatDoesNotGoTogether) {
  EXPECT_NE(tool({"skeleton", "arm.glb", "-o", "x.glb", "--bones", "5"}).err.find("--bones"), std::string::npos);
  EXPECT_EQ(tool({"skeleton", "arm.glb", "-o", "x.glb", "--method", "hasler"}).code, 2);
  write_text("{\"bones\": [{\"name\": \"a\"}, {\"parent\": \"a\"}]}", folder_ / "tree.json");
  const Outcome nameless = tool({"skeleton", "arm.glb", "-o", "x.glb", "--tree", "tree.json"});
  EXPECT_EQ(nameless.code, 1);
  EXPECT_NE(nameless.err.find("tree.json: bones[1]"), std::string::npos) << nameless.err;
  write_text("[1]", folder_ / "tree.json");
  EXPECT_NE(tool({"skeleton", "arm.glb", "-o", "x.glb", "--tree", "tree.json"}).err.find("is not a tree"),
            std::string::npos);
  EXPECT_EQ(tool({"decompose", "arm.glb", "-o", "x.glb", "--skeleton", "--kind", "flexible"}).code, 2);
  expect_only({"tree.json"});
}

}  // namespace
}  // namespace marrow
