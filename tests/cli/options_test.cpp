// Flags, --options FILE and help come from the tables of options.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "marrow/marrow.hpp"
#include "support/files.hpp"
#include "tool.hpp"

namespace marrow {
namespace {

using testing::Outcome;
using testing::read_bytes;
using testing::run_tool;

class CliOptions : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::output_folder();
    rig_ = synthetic::arm({.vertices = 200, .frames = 6});
    write_glb(rig_, folder_ / "arm.glb");
    write_pc2(bake(rig_), folder_ / "arm.pc2");
    write_obj(rig_.mesh, folder_ / "arm.obj");
  }
  Outcome run(std::vector<std::string> arguments) { return run_tool(folder_, std::move(arguments)); }
  Outcome run_with(const std::string& options, std::vector<std::string> arguments) {
    write_text(options, folder_ / "options.json");
    arguments.insert(arguments.end(), {"--options", "options.json"});
    return run(std::move(arguments));
  }
  void expect_refused(std::initializer_list<std::string> parts, const Outcome& outcome) {
    EXPECT_NE(outcome.code, 0);
    for (const std::string& part : parts) EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out.glb"));
  }

  std::filesystem::path folder_;
  Rig rig_;
};

/// Each flag of the tables is in the help of its command, with its default.
template <class Options>
void expect_in_help(const std::string& help) {
  Options options{};
  for (const Option& option : option_table(options)) {
    const OptionInfo& info = option.info;
    if (info.flag.empty()) continue;
    const std::size_t at = help.find(info.flag + (info.kind == OptionKind::flag ? "" : " "));
    ASSERT_NE(at, std::string::npos) << info.flag;
    if (info.kind == OptionKind::flag || !info.default_value) continue;
    const std::string shown = value_text(info, info.default_value, true);
    if (shown.empty()) continue;
    // Lines are wrapped anywhere.
    std::string text = help.substr(at, help.find("\n  -", at) - at);
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    EXPECT_NE(text.find("(default" + shown + ")"), std::string::npos) << info.flag << ": " << text;
  }
}

TEST_F(CliOptions, HelpHasEveryFlagWithItsDefault) {
  const auto help = [&](const char* command) { return run({command, "--help"}).out; };
  expect_in_help<DecomposeOptions>(help("decompose"));
  expect_in_help<SkeletonOptions>(help("skeleton"));
  expect_in_help<ReduceOptions>(help("reduce"));
  expect_in_help<CompressOptions>(help("compress"));
  expect_in_help<GlbOptions>(help("compress"));
  expect_in_help<DdmOptions>(help("ddm"));
  expect_in_help<DdmCompressionOptions>(help("ddm"));
  expect_in_help<PageOptions>(help("view"));
  expect_in_help<RenderOptions>(help("render"));
  for (const char* command : {"info", "convert", "compare", "render", "view", "decompose", "skeleton", "ddm"}) {
    expect_in_help<ReadOptions>(help(command));
  }
}

TEST_F(CliOptions, TheSettingsOfAReportGiveTheSameResult) {
  const std::vector<std::vector<std::string>> commands = {
      {"decompose", "arm.pc2", "--bones", "3", "--kind", "scale", "--conditioning", "2", "--rest-pose", "once",
       "--rest-limit", "0.5", "--influences", "all", "--smooth", "0.5", "--effort", "fast"},
      {"decompose", "arm.pc2", "--error", "20", "--max-bones", "5", "--effort", "fast", "--skeleton"},
      {"skeleton", "arm.pc2", "--bones", "3", "--effort", "fast", "--no-ends", "--influences", "2"},
      {"reduce", "arm.glb", "--influences", "1", "--sample", "12", "--method", "geometry"},
      {"compress", "arm.glb", "--virtual-bones", "9", "--coefficients", "2", "--cardinality", "3", "--effort", "fast"},
      {"ddm", "arm.glb", "--smoothing", "uniform", "--lambda", "2", "--prune", "0.2", "--keep-weights"},
      {"ddm", "arm.glb", "--compress", "12", "--iterations", "3", "--fit-poses", "15", "--alpha", "0.2"}};
  for (std::vector<std::string> command : commands) {
    SCOPED_TRACE(command[0] + " " + command[2] + " " + command[3]);
    const std::vector<std::string> plain(command.begin(), command.begin() + 2);
    command.insert(command.end(), {"-o", "flags.glb", "--json"});
    const Outcome by_flags = run(command);
    ASSERT_EQ(by_flags.code, 0) << by_flags.err;
    std::vector<std::string> again = plain;
    again.insert(again.end(), {"-o", "file.glb", "--json"});
    const auto settings = nlohmann::ordered_json::parse(by_flags.out)["settings"];
    const Outcome by_file = run_with(settings.dump(), again);
    ASSERT_EQ(by_file.code, 0) << by_file.err;
    EXPECT_EQ(nlohmann::ordered_json::parse(by_file.out)["settings"], settings);
    EXPECT_EQ(read_bytes(folder_ / "flags.glb"), read_bytes(folder_ / "file.glb"));
  }
}

TEST_F(CliOptions, FlagsWinOverTheFile) {
  const std::string file = R"({"bones": 5, "influences": 2, "smooth": 0.25, "effort": "fast"})";
  const Outcome outcome =
      run_with(file, {"decompose", "arm.pc2", "--bones", "3", "--smooth", "0", "-o", "o.glb", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto settings = nlohmann::json::parse(outcome.out)["settings"];
  EXPECT_EQ(settings["bones"], 3);
  EXPECT_EQ(settings["smooth"], 0);
  EXPECT_EQ(settings["influences"], 2);
}

TEST_F(CliOptions, ReadingOptionsAreInTheFileToo) {
  ASSERT_EQ(run({"convert", "arm.pc2", "flags.pc2", "--unit", "cm", "--up", "z", "--rest", "arm.obj"}).code, 0);
  const Outcome outcome =
      run_with(R"({"unit": "cm", "up": "z", "rest": "arm.obj"})", {"convert", "arm.pc2", "file.pc2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(read_bytes(folder_ / "flags.pc2"), read_bytes(folder_ / "file.pc2"));
  EXPECT_NE(read_bytes(folder_ / "flags.pc2"), read_bytes(folder_ / "arm.pc2"));
}

TEST_F(CliOptions, MistakesInTheFileAreNamedWithFileAndKey) {
  const std::vector<std::string> command = {"decompose", "arm.pc2", "-o", "out.glb"};
  expect_refused({"options.json: bone", "did you mean bones?"}, run_with(R"({"bone": 3})", command));
  expect_refused({"options.json: rest_limit", "from 0"}, run_with(R"({"rest_limit": -1})", command));
  expect_refused({"options.json: kind", "rigid, scale"}, run_with(R"({"kind": "soft"})", command));
  expect_refused({"options.json: bones", "whole number"}, run_with(R"({"bones": "many"})", command));
  expect_refused({"options.json", "JSON"}, run_with("bones = 3", command));
  expect_refused({"none.json"}, run({"decompose", "arm.pc2", "-o", "out.glb", "--options", "none.json"}));
}

TEST_F(CliOptions, SharesAreTypedInPercent) {
  for (const char* limit : {"0.5", "0.5%"}) {
    const Outcome outcome = run({"decompose", "arm.pc2", "--bones", "2", "--effort", "fast", "--rest-pose", "once",
                                 "--rest-limit", limit, "-o", "o.glb", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["settings"]["rest_limit"], 0.005);
  }
}

TEST_F(CliOptions, ErrorsNameTheFlagAndTheUnitThatWasTyped) {
  const auto decompose = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"decompose", "arm.pc2", "-o", "out.glb"});
    return run(more);
  };
  expect_refused({"--rest-limit", "\"-1\" was given", "% of the size", "0: no limit"},
                 decompose({"--rest-pose", "once", "--rest-limit=-1"}));
  expect_refused({"--smooth", "\"much\" was given", "a number from 0"}, decompose({"--smooth", "much"}));
  expect_refused({"--influences", "\"0\" was given", "whole number from 1", "all"}, decompose({"--influences", "0"}));
  expect_refused({"--conditioning", "goes with --kind scale or stretch or flexible only"},
                 decompose({"--conditioning", "3"}));
  expect_refused({"--virtual-bones: give only one of --bones-per-vertex, --virtual-bones and error"},
                 run({"compress", "arm.glb", "--bones-per-vertex", "4", "--virtual-bones", "9", "-o", "out.glb"}));
  expect_refused({"--alpha", "\"2\" was given", "from 0 to 0.999"},
                 run({"ddm", "arm.glb", "--alpha", "2", "-o", "out.glb"}));
}

}  // namespace
}  // namespace marrow
