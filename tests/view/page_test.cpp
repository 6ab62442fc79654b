#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/random.hpp"
#include "marrow/deform.hpp"
#include "marrow/synthetic.hpp"
#include "marrow/view.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/page.hpp"
#include "support/shapes.hpp"

namespace marrow {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;

nlohmann::json header_of(const fs::path& file) {
  const std::string html = testing::read_bytes(file);
  const std::string open = R"(id="marrow-header">)";
  const std::size_t start = html.find(open) + open.size();
  return nlohmann::json::parse(html.substr(start, html.find("</script>", start) - start));
}

/// A rig, what it was made from and how far it is from it.
struct Case {
  Rig rig = synthetic::quadruped({.vertices = 400, .frames = 30});
  Sequence original = synthetic::observe(rig, {.noise = 0.002});
  Metrics metrics = compare(original, rig);
  Page page{.title = "case", .original = &original, .rig = &rig, .metrics = &metrics};
};

TEST(ViewPage, HeaderSaysWhatIsInside) {
  MARROW_NEEDS_PAGE();
  Case c;
  Report report;
  report.error_curve = {3, 2};
  report.settings = {{"bones", std::int64_t(20)}};
  report.warnings = {"careful"};
  c.page.report = &report;
  c.page.error_by_bones = {{5, 4.5}, {10, 2.25}};
  const fs::path file = testing::output_folder() / "page.html";
  const PageSummary summary = write_page(c.page, file);
  EXPECT_EQ(summary.bytes, fs::file_size(file));
  EXPECT_EQ(summary.frames, 30u);
  EXPECT_EQ(summary.frames_of, 30u);
  EXPECT_GT(summary.position_error, 0);
  EXPECT_LT(summary.position_error, 2e-5 * c.metrics.size);
  const nlohmann::json header = header_of(file);
  EXPECT_EQ(header["title"], "case");
  EXPECT_EQ(header["vertices"], c.rig.vertices());
  EXPECT_EQ(header["rig"]["skeleton"]["names"], nlohmann::json(c.rig.skeleton.names));
  EXPECT_EQ(header["rig"]["bytes"]["morph_targets"], storage(c.rig).morph_targets);
  EXPECT_DOUBLE_EQ(header["metrics"]["e_rms"], c.metrics.e_rms);
  EXPECT_EQ(header["report"]["warnings"][0], "careful");
  EXPECT_EQ(header["error_by_bones"], nlohmann::json::parse("[[5, 4.5], [10, 2.25]]"));
  EXPECT_EQ(header["timeline"]["clips"].size(), 2u);
  EXPECT_EQ(header["original"]["position_error"], summary.position_error);
}

TEST(ViewPage, ShowsFewerFramesAboveTheLimit) {
  MARROW_NEEDS_PAGE();
  Case c;
  c.metrics.worst_frame = 1;  // no stride but 1 would come by it
  const fs::path file = testing::output_folder() / "page.html";
  const std::size_t full = write_page(c.page, file).bytes;
  const std::size_t limit = full - 20'000;
  std::string warning;
  const marrow::Run run{.log = [&](LogLevel, std::string_view text) { warning += text; }};
  const PageSummary summary = write_page(c.page, file, {.size_limit = limit}, run);
  EXPECT_LE(summary.bytes, limit);
  EXPECT_LT(summary.frames, 30u);
  EXPECT_NE(warning.find("of 30 frames"), std::string::npos) << warning;
  const nlohmann::json timeline = header_of(file)["timeline"];
  const auto source = timeline["source"].get<std::vector<std::size_t>>();
  EXPECT_EQ(source.size(), summary.frames);
  EXPECT_EQ(timeline["source_frames"], 30);
  EXPECT_NE(std::ranges::find(source, c.metrics.worst_frame), source.end());
  std::size_t first = 0;
  for (std::size_t k = 0; k < 2; ++k) {  // each clip starts with its first frame
    EXPECT_EQ(timeline["clips"][k]["first"], first);
    EXPECT_EQ(source[first], c.rig.motion.timeline.clips[k].first);
    first += timeline["clips"][k]["count"].get<std::size_t>();
  }
  EXPECT_EQ(first, source.size());
}

TEST(ViewPage, ALimitThatCannotBeKeptIsAWarning) {
  MARROW_NEEDS_PAGE();
  Case c;
  std::string warning;
  const marrow::Run run{.log = [&](LogLevel, std::string_view text) { warning += text; }};
  const PageSummary summary = write_page(c.page, testing::output_folder() / "page.html", {.size_limit = 10}, run);
  EXPECT_LE(summary.frames, 3u);
  EXPECT_NE(warning.find("above the limit"), std::string::npos) << warning;
}

TEST(ViewPage, NoNameBreaksOutOfThePage) {
  MARROW_NEEDS_PAGE();
  Case c;
  c.page.title = "</script><script>alert(1)</script><!-- \xff";
  c.rig.skeleton.names[0] = "</SCRIPT>";
  const fs::path file = testing::output_folder() / "page.html";
  write_page(c.page, file);
  EXPECT_EQ(testing::read_bytes(file).find("<script>alert"), std::string::npos);
  const nlohmann::json header = header_of(file);
  EXPECT_EQ(header["rig"]["skeleton"]["names"][0], "</SCRIPT>");
  EXPECT_EQ(header["title"].get<std::string>().substr(0, 9), "</script>");
}

TEST(ViewPage, PartsThatDoNotFitAreRefusedAndNothingIsWritten) {
  MARROW_NEEDS_PAGE();
  Case c;
  const fs::path folder = testing::output_folder();
  const auto write = [&] { write_page(c.page, folder / "page.html"); };
  const Rig other = synthetic::arm({.vertices = 300, .frames = 30});
  c.page.rig = &other;
  expect_error(ErrorCode::bad_input, {"vertices", "the sequence it was made from"}, write);
  c.page.rig = nullptr;
  expect_error(ErrorCode::bad_input, {"metrics need both"}, write);
  c.page.metrics = nullptr;
  c.page.original = nullptr;
  expect_error(ErrorCode::bad_input, {"neither"}, write);
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST(ViewPage, AStopLeavesNothingBehind) {
  MARROW_NEEDS_PAGE();
  Case c;
  const fs::path folder = testing::output_folder();
  std::stop_source stop;
  stop.request_stop();
  expect_error(ErrorCode::stopped, {},
               [&] { write_page(c.page, folder / "page.html", {}, {.stop = stop.get_token()}); });
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST(ViewPage, TenThousandVerticesTimes175FramesStayBelow25MB) {
  MARROW_NEEDS_PAGE();
  // The worst there can be: frames without any resemblance to each other.
  Random random(9);
  const Mesh mesh = testing::sheet_of_quads(100);
  const Sequence noise = testing::random_sequence(random, mesh, 175);
  const Rig rig = testing::random_rig(random, mesh, 48, 8, 175);
  const PageSummary summary =
      write_page({.title = "noise", .original = &noise, .rig = &rig}, testing::output_folder() / "page.html");
  EXPECT_EQ(summary.frames, 175u);
  EXPECT_LT(summary.bytes, 25'000'000u);
}

}  // namespace
}  // namespace marrow
