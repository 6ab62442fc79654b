// The words of the tool: the same for the same thing in every command, and help where one is misspelt.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "marrow/deform.hpp"
#include "marrow/io.hpp"
#include "marrow/synthetic.hpp"
#include "support/files.hpp"
#include "support/page.hpp"
#include "tool.hpp"

namespace marrow {
namespace {

namespace fs = std::filesystem;
using testing::Outcome;

class CliWords : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::output_folder();
    rig_ = synthetic::quadruped({.vertices = 300, .frames = 9});
    write_glb(rig_, folder_ / "dog.glb");
  }
  Outcome tool(std::vector<std::string> arguments) { return testing::run_tool(folder_, std::move(arguments)); }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

  fs::path folder_;
  Rig rig_;
};

TEST_F(CliWords, MisspeltOnesAreAskedAbout) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"decompse"}, "there is no command \"decompse\"; did you mean decompose?"},
      {{"veiw", "a.glb"}, "did you mean view?"},
      {{"frobnicate"}, "there is no command \"frobnicate\"; marrow --help lists them"},
      {{"decompose", "a.pc2", "--bons", "3"}, "marrow decompose: there is no option --bons; did you mean --bones?"},
      {{"reduce", "a.glb", "--influence=2"}, "did you mean --influences?"},
      {{"ddm", "a.glb", "--poses", "3"}, "there is no option --poses"},
      {{"render", "a.glb", "--wire"}, "did you mean --wireframe?"}};
  for (const auto& [arguments, message] : cases) {
    const Outcome outcome = tool(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments[0];
    EXPECT_TRUE(has(outcome.err, message)) << outcome.err;
  }
}

TEST_F(CliWords, FramesToCompareWithAreTheOriginalEverywhere) {
  for (const char* command : {"compare", "render", "view", "skeleton", "reduce", "compress"}) {
    EXPECT_TRUE(has(tool({command, "--help"}).out, "--original")) << command;
  }
  for (const char* command :
       {"info", "convert", "compare", "render", "decompose", "skeleton", "reduce", "compress", "ddm", "view"}) {
    const std::string help = tool({command, "--help"}).out;
    EXPECT_TRUE(has(help, "--clip")) << command;
    for (const char* old : {"--against", "--poses"}) EXPECT_FALSE(has(help, old)) << command;
  }
}

TEST_F(CliWords, HelpIsGrouped) {
  const std::string help = tool({"decompose", "--help"}).out;
  std::size_t before = 0;
  for (const char* group : {"\nInput:", "\nWhat to solve:", "\nOutput:", "\nRun:"}) {
    const std::size_t at = help.find(group);
    ASSERT_NE(at, std::string::npos) << group << help;
    EXPECT_GT(at, before);
    before = at;
  }
  EXPECT_LT(help.find("--rest"), help.find("\nWhat to solve:"));
  EXPECT_LT(help.find("--kind"), help.find("\nOutput:"));
  EXPECT_GT(help.find("--threads"), help.find("\nRun:"));
}

TEST_F(CliWords, AClipIsTakenInEveryCommand) {
  const Clip look = rig_.motion.timeline.clips[1];
  ASSERT_EQ(look.name, "look");
  ASSERT_EQ(tool({"convert", "dog.glb", "look.pc2", "--clip", "look"}).code, 0);
  ASSERT_EQ(read_sequence({(folder_ / "look.pc2").string()}).frames(), look.count);
  const std::vector<std::vector<std::string>> commands = {
      {"info"},
      {"compare", "--original", "dog.glb"},
      {"compare", "--original", "look.pc2"},
      {"render", "-o", "look.png", "--original", "look.pc2", "--size", "64x64"},
      {"decompose", "-o", "d.glb", "--bones", "4", "--effort", "fast"},
      {"skeleton", "-o", "s.glb", "--effort", "fast", "--original", "look.pc2"},
      {"reduce", "-o", "r.glb", "--influences", "2", "--original", "look.pc2"},
      {"compress", "-o", "c.glb", "--original", "clips", "--effort", "fast"},
      {"ddm", "-o", "m.glb"}};
  for (std::vector<std::string> arguments : commands) {
    const std::string command = arguments[0];
    arguments.insert(arguments.begin() + 1, {"dog.glb", "--clip", "look"});
    const Outcome outcome = tool(arguments);
    EXPECT_EQ(outcome.code, 0) << command << ": " << outcome.err;
    arguments[3] = "run";
    const Outcome none = tool(arguments);
    EXPECT_EQ(none.code, 2) << command;
    EXPECT_TRUE(has(none.err, "there is no clip \"run\"")) << none.err;
  }
  for (const char* file : {"d.glb", "s.glb", "r.glb", "c.glb", "m.glb"}) {
    EXPECT_EQ(read_rig(folder_ / file).frames(), look.count) << file;
  }
}

TEST_F(CliWords, APc2HasItsRestPoseBesideIt) {
  const Outcome first = tool({"convert", "dog.glb", "walk.pc2"});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_TRUE(has(first.out, "walk.obj")) << first.out;
  EXPECT_EQ(read_sequence({(folder_ / "walk.pc2").string()}).mesh.face_vertices, rig_.mesh.face_vertices);
  const std::string rest = testing::read_bytes(folder_ / "walk.obj");
  EXPECT_EQ(tool({"convert", "dog.glb", "walk.pc2"}).code, 0) << "the same rest pose stays";
  EXPECT_EQ(testing::read_bytes(folder_ / "walk.obj"), rest);
  for (const std::string other : {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "no mesh"}) {
    testing::write_bytes(folder_ / "mine.obj", other);
    const Outcome refused = tool({"convert", "dog.glb", "mine.pc2"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(has(refused.err, "mine.obj")) << refused.err;
    EXPECT_EQ(testing::read_bytes(folder_ / "mine.obj"), other);
    EXPECT_FALSE(fs::exists(folder_ / "mine.pc2"));
  }
}

TEST_F(CliWords, SummariesSayTheErrorInWordsFirst) {
  const Outcome outcome = tool({"decompose", "dog.glb", "--bones", "6", "--effort", "fast", "-o", "d.glb"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, ": RMS ")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, " % of the size, largest ")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "; E_RMS ")) << outcome.out;
  MARROW_NEEDS_PAGE();
  const Outcome page = tool({"ddm", "dog.glb", "-o", "m.glb", "--report", "page.html"});
  EXPECT_TRUE(has(page.out, "open page.html in a browser")) << page.out;
}

TEST_F(CliWords, PlainWarningsOnceAndInReports) {
  Sequence still = bake(slice(rig_, 0, 3));
  for (std::size_t t = 1; t < 3; ++t) std::ranges::copy(still.frame(0), still.frame(t).begin());
  write_obj_sequence(still, folder_ / "still");
  const Outcome outcome =
      tool({"decompose", "still", "--bones", "2", "--effort", "fast", "-o", "d.glb", "--report", "report.json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto warnings = nlohmann::json::parse(testing::read_bytes(folder_ / "report.json"))["warnings"].dump();
  for (const std::string part : {"never moves", "taken for it"}) {
    const std::size_t at = outcome.err.find(part);
    EXPECT_NE(at, std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find(part, at + 1), std::string::npos) << outcome.err;
    EXPECT_TRUE(has(warnings, part)) << warnings;
  }
  const Outcome quiet =
      tool({"decompose", "still", "--bones", "2", "--effort", "fast", "-q", "-o", "d.glb", "--report", "report.json"});
  EXPECT_EQ(quiet.err, "");
  EXPECT_TRUE(has(testing::read_bytes(folder_ / "report.json"), "never moves"));
  EXPECT_FALSE(has(tool({"decompose", "dog.glb", "--bones", "2", "--effort", "fast", "-o", "d.glb"}).err, "warning"));
}

TEST_F(CliWords, SkeletonsHaveAnErrorToo) {
  EXPECT_EQ(tool({"skeleton", "dog.glb", "--effort", "fast", "--error", "50%", "-o", "s.glb"}).code, 0);
  EXPECT_EQ(tool({"skeleton", "dog.glb", "--effort", "fast", "--error", "1e-6u", "-o", "s.glb"}).code, 3);
}

/// What the tool writes to a terminal.
std::string at_a_terminal(const fs::path& folder, std::vector<std::string> arguments) {
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid == 0) {
    arguments.insert(arguments.begin(), MARROW_TOOL);
    std::vector<char*> argv;
    for (std::string& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    if (chdir(folder.c_str()) == 0) execv(argv[0], argv.data());
    _exit(98);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(terminal, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, std::size_t(n));
  }
  close(terminal);
  waitpid(pid, nullptr, 0);
  return text;
}

TEST_F(CliWords, ProgressIsOneBarThatNeverFalls) {
  const std::string text = at_a_terminal(folder_, {"decompose", "dog.glb", "--bones", "12", "-o", "d.glb"});
  EXPECT_TRUE(has(text, "decompose  [")) << text;
  EXPECT_TRUE(has(text, " elapsed")) << text;
  int last = 0;
  std::size_t shown = 0;
  for (std::size_t at = text.find("] "); at != std::string::npos; at = text.find("] ", at + 1), ++shown) {
    const int percent = std::stoi(text.substr(at + 2));
    EXPECT_GE(percent, last);
    EXPECT_LE(percent, 100);
    last = percent;
  }
  EXPECT_GT(shown, 0u);
  EXPECT_FALSE(has(tool({"decompose", "dog.glb", "--bones", "2", "-o", "d.glb"}).err, "elapsed"));
}

}  // namespace
}  // namespace marrow
