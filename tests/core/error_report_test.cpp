#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "marrow/error.hpp"
#include "marrow/report.hpp"
#include "marrow/run.hpp"

namespace marrow {
namespace {

TEST(Error, SaysWhereAndWhat) {
  const Error error(ErrorCode::bad_file, "a.obj:3", "no such vertex");
  EXPECT_STREQ(error.what(), "a.obj:3: no such vertex");
  EXPECT_EQ(error.code(), ErrorCode::bad_file);
  EXPECT_EQ(error.where(), "a.obj:3");
  EXPECT_EQ(error.message(), "no such vertex");
  EXPECT_STREQ(Error(ErrorCode::bad_request, "", "too many bones").what(), "too many bones");
}

TEST(Run, CheckStopThrowsOnlyAfterTheStop) {
  std::stop_source source;
  const marrow::Run run{.stop = source.get_token()};
  EXPECT_NO_THROW(run.check_stop("here"));
  EXPECT_NO_THROW(marrow::Run{}.check_stop("here"));
  source.request_stop();
  try {
    run.check_stop("here");
    FAIL() << "did not stop";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::stopped);
    EXPECT_EQ(error.where(), "here");
  }
}

TEST(Run, PassesOnProgressAndWarnings) {
  std::vector<std::string> heard;
  const marrow::Run run{.progress = [&](const Progress& p) { heard.emplace_back(p.stage); },
                        .log =
                            [&](LogLevel level, std::string_view text) {
                              heard.push_back((level == LogLevel::warning ? "warning " : "info ") + std::string(text));
                            }};
  run.report({.stage = "fitting"});
  run.warn("thin");
  EXPECT_EQ(heard, (std::vector<std::string>{"fitting", "warning thin"}));
  EXPECT_NO_THROW(marrow::Run{}.report({}));
  EXPECT_NO_THROW(marrow::Run{}.warn("nobody listens"));
}

TEST(Report, JsonHasEverythingInOrder) {
  Report report;
  report.status = Status::quality_missed;
  report.error_curve = {8.5, 2.25};
  report.timings = {{"weights", 0.5}, {"bones", 0.25}};
  report.settings = {{"rigid", true}, {"bones", std::int64_t(20)}, {"tolerance", 0.125}, {"init", std::string("lbg")}};
  report.figures = {{"moved", 1.5}};
  report.warnings = {"\"odd\"\nname"};
  const std::string text = to_json(report);
  EXPECT_EQ(text, R"({
  "status": "quality missed",
  "settings": {
    "rigid": true,
    "bones": 20,
    "tolerance": 0.125,
    "init": "lbg"
  },
  "error_curve": [
    8.5,
    2.25
  ],
  "timings": {
    "weights": 0.5,
    "bones": 0.25
  },
  "figures": {
    "moved": 1.5
  },
  "warnings": [
    "\"odd\"\nname"
  ]
})");
}

TEST(Report, EmptyReportIsStillAnObject) {
  const auto json = nlohmann::json::parse(to_json(Report{}));
  EXPECT_EQ(json["status"], "done");
  EXPECT_TRUE(json["settings"].is_object());
  EXPECT_TRUE(json["timings"].is_object());
  EXPECT_TRUE(json["error_curve"].is_array());
  EXPECT_TRUE(json["warnings"].is_array());
}

TEST(Report, EveryStatusHasItsName) {
  const std::vector<std::pair<Status, std::string>> names = {{Status::done, "done"},
                                                             {Status::not_converged, "not converged"},
                                                             {Status::stopped, "stopped"},
                                                             {Status::quality_missed, "quality missed"}};
  for (const auto& [status, name] : names) {
    Report report;
    report.status = status;
    EXPECT_EQ(nlohmann::json::parse(to_json(report))["status"], name);
  }
}

/// Solvers may meet an infinite objective; the file must stay readable.
TEST(Report, NumbersThatAreNotFiniteBecomeNull) {
  Report report;
  report.error_curve = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_TRUE(json["error_curve"][0].is_null());
  EXPECT_TRUE(json["error_curve"][1].is_null());
}

/// A name from a file need not be UTF-8; the report must not be lost over it.
TEST(Report, TextThatIsNotUtf8Survives) {
  Report report;
  report.warnings = {"bone \xff"};
  EXPECT_NO_THROW(to_json(report));
}

}  // namespace
}  // namespace marrow
