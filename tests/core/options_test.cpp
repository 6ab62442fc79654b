// Tables of options: every field of every struct is in its table, with what flags, JSON, reports and docs need.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "marrow/marrow.hpp"
#include "support/expect_error.hpp"

namespace marrow {
namespace {

using Json = nlohmann::ordered_json;
using testing::expect_error;
using Names = std::vector<std::string>;

// The fields of each struct. Where one is added, this does not compile: give the field an entry in option_table(), or
// add it to those that have none below.
Names fields_of(DecomposeOptions o) {
  [[maybe_unused]] auto& [a, b, c, d, e, f, g, h, i] = o;
  return {"bones", "influences", "kind", "conditioning", "rest_pose", "rest_limit", "smooth", "effort", "keep_best"};
}
Names fields_of(SkeletonOptions o) {
  [[maybe_unused]] auto& [a, b, c, d, e, f, g, h, i] = o;
  return {"bones", "most_bones", "influences", "smooth", "effort", "method", "free_translation", "ends", "tree"};
}
Names fields_of(ReduceOptions o) {
  [[maybe_unused]] auto& [a, b, c, d] = o;
  return {"influences", "method", "sample", "ranges"};
}
Names fields_of(CompressOptions o) {
  [[maybe_unused]] auto& [a, b, c, d, e, f, g, h, i] = o;
  return {"bones_per_vertex", "virtual_bones", "error",    "method", "coefficients",
          "cardinality",      "refit",         "any_sign", "effort"};
}
Names fields_of(DdmOptions o) {
  [[maybe_unused]] auto& [a, b, c, d, e, f, g, h, i, j] = o;
  return {"rigid_bind", "smoothing", "rotation_reach", "translation_reach", "lambda", "kappa", "alpha",
          "steps",      "maps",      "prune"};
}
Names fields_of(DdmCompressionOptions o) {
  [[maybe_unused]] auto& [a, b, c, d, e, f, g, h, i, j, k, l] = o;
  [[maybe_unused]] auto& [q, r, s, t, u] = l;
  return {"virtual_bones",
          "influences",
          "method",
          "error_target",
          "byte_budget",
          "poses",
          "iterations",
          "sparsity",
          "worst",
          "area_weights",
          "smoothness",
          "examples.hierarchy",
          "examples.bind_pose",
          "examples.translation",
          "examples.poses",
          "examples.poses_share"};
}
Names fields_of(ReadOptions o) {
  [[maybe_unused]] auto& [a, b, c, d] = o;
  return {"rest", "fps", "up", "unit"};
}
Names fields_of(GlbOptions o) {
  [[maybe_unused]] auto& [a, b] = o;
  return {"normals", "float_layers"};
}
Names fields_of(PageOptions o) {
  [[maybe_unused]] auto& [a] = o;
  return {"size_limit"};
}
Names fields_of(RenderOptions o) {
  [[maybe_unused]] auto& [a, b, c, d, e, f] = o;
  [[maybe_unused]] auto& [q, r, s] = d;
  return {"width", "height", "view", "background.r", "background.g", "background.b", "wireframe", "ground"};
}
Names fields_of(synthetic::Options o) {
  [[maybe_unused]] auto& [a, b, c, d] = o;
  return {"vertices", "frames", "noise", "seed"};
}

/// Fields that no flag and no JSON value can hold: programs give them, and the tool reads them from files.
const std::set<std::string> structured = {"tree", "ranges", "maps", "examples.poses"};

template <class Options>
class OptionTable : public ::testing::Test {};
using All =
    ::testing::Types<DecomposeOptions, SkeletonOptions, ReduceOptions, CompressOptions, DdmOptions,
                     DdmCompressionOptions, ReadOptions, GlbOptions, PageOptions, RenderOptions, synthetic::Options>;
TYPED_TEST_SUITE(OptionTable, All);

/// A value in range that is not the default.
Json other_value(const OptionInfo& info) {
  switch (info.kind) {
    case OptionKind::flag:
      return info.default_value != std::optional<Setting>(true);
    case OptionKind::count:
      return std::isfinite(info.least) ? std::int64_t(info.least) + 1 : 7;
    case OptionKind::number:
    case OptionKind::share:
      return std::isfinite(info.most) ? std::max(info.least, info.most / 4) : info.least + 3.25;
    case OptionKind::choice:
      return info.choices.back().name != std::get<std::string>(*info.default_value) ? info.choices.back().name
                                                                                    : info.choices.front().name;
    case OptionKind::text:
      return "a.obj";
  }
  return nullptr;
}

Json to_object(const std::vector<std::pair<std::string, Setting>>& settings) {
  Json object = Json::object();
  for (const auto& [name, value] : settings) std::visit([&, &key = name](const auto& v) { object[key] = v; }, value);
  return object;
}

TYPED_TEST(OptionTable, HasEveryFieldInOrder) {
  TypeParam options{};
  Names expected, found;
  for (const std::string& name : fields_of(options)) {
    if (structured.count(name) == 0) expected.push_back(name);
  }
  for (const Option& option : option_table(options)) found.push_back(option.info.name);
  EXPECT_EQ(found, expected);
}

TYPED_TEST(OptionTable, SaysWhatEachFieldIs) {
  TypeParam options{};
  std::set<std::string> flags;
  for (const Option& option : option_table(options)) {
    const OptionInfo& info = option.info;
    SCOPED_TRACE(info.name);
    EXPECT_GT(info.help.size(), 4U);
    EXPECT_NE(info.help.back(), '.');
    EXPECT_NE(info.flag.empty(), info.no_flag.empty()) << "a flag, or why there is none";
    EXPECT_TRUE(info.flag.empty() || (info.flag.starts_with("--") && flags.insert(info.flag).second)) << info.flag;
    EXPECT_EQ(info.default_value, option.get());
    EXPECT_NO_THROW(check_range(info, option.get()));
    EXPECT_EQ(info.kind == OptionKind::choice, !info.choices.empty());
    for (const OptionChoice& choice : info.choices) EXPECT_FALSE(choice.help.empty()) << choice.name;
    EXPECT_FALSE(expected_values(info).empty());
    EXPECT_EQ(info.with.empty(), info.with_values.empty());
  }
}

TYPED_TEST(OptionTable, ValuesGoThroughJsonAndBack) {
  TypeParam options{};
  const std::vector<Option> table = option_table(options);
  for (const Option& option : table) {
    SCOPED_TRACE(option.info.name);
    const Json value = other_value(option.info);
    set_from_json(table, Json{{option.info.name, value}}.dump(), "test");
    const Json settings = to_object(settings_of(options));
    ASSERT_TRUE(settings.contains(option.info.name));
    EXPECT_EQ(settings[option.info.name], value);
    EXPECT_NE(option.get(), option.info.default_value);
  }
  // All of them at once, as a report has them.
  TypeParam copy{};
  set_from_json(option_table(copy), to_object(settings_of(options)).dump(), "test");
  EXPECT_EQ(settings_of(copy), settings_of(options));
  check_ranges(copy);
}

TYPED_TEST(OptionTable, RefusesTheWrongTypeAndWhatIsOutOfRange) {
  TypeParam options{};
  const std::vector<Option> table = option_table(options);
  const auto refused = [&](const OptionInfo& info, const Json& value) {
    expect_error(ErrorCode::bad_file, {"x.json: " + info.name, "give"}, [&] {
      set_from_json(table, Json{{info.name, value}}.dump(), "x.json");
    });
  };
  for (const Option& option : table) {
    const OptionInfo& info = option.info;
    SCOPED_TRACE(info.name);
    refused(info, Json::array({1}));
    refused(info, Json::object());
    if (!info.optional) refused(info, nullptr);
    if (info.kind != OptionKind::text) refused(info, "no such name");
    if (info.kind != OptionKind::flag) refused(info, true);
    if (info.kind == OptionKind::count) {
      refused(info, -1);
      refused(info, 1.5);
      refused(info, 1e30);
    }
    if (std::isfinite(info.least) && info.least > 0) refused(info, info.least / 2);
    if (std::isfinite(info.most)) refused(info, info.most + 1);
  }
  EXPECT_EQ(settings_of(options), settings_of(TypeParam{})) << "what is refused changes nothing";
}

TEST(Options, ErrorsNameTheFieldTheValueAndTheRange) {
  expect_error(ErrorCode::bad_request, {"rest_limit: -1 was given; give a share of the size from 0 (0: no limit)"},
               [] { check_ranges(DecomposeOptions{.rest_limit = -1}); });
  expect_error(ErrorCode::bad_request, {"conditioning: 0.5 was given; give 0 (up to 1000) or a number from 1"},
               [] { check_ranges(DecomposeOptions{.conditioning = 0.5}); });
  expect_error(ErrorCode::bad_request, {"alpha: 1 was given; give a number from 0 to 0.999"},
               [] { check_ranges(DdmOptions{.alpha = 1}); });
  expect_error(ErrorCode::bad_request, {"smooth: nan"},
               [] { check_ranges(DecomposeOptions{.smooth = std::numeric_limits<double>::quiet_NaN()}); });
  expect_error(ErrorCode::bad_request, {"smooth: inf"},
               [] { check_ranges(DecomposeOptions{.smooth = std::numeric_limits<double>::infinity()}); });
  expect_error(ErrorCode::bad_request, {"effort"},
               [] { check_ranges(DecomposeOptions{.effort = static_cast<Effort>(17)}); });
}

TEST(Options, JsonErrorsNameTheFileAndTheKey) {
  DecomposeOptions options;
  const std::vector<Option> table = option_table(options);
  const auto refused = [&](std::initializer_list<std::string> parts, const std::string& json) {
    expect_error(ErrorCode::bad_file, parts, [&] { set_from_json(table, json, "x.json"); });
  };
  refused({"x.json: bone:", "did you mean bones?"}, R"({"bone": 3})");
  refused({"x.json: rest_limt:", "did you mean rest_limit?"}, R"({"rest_limt": 3})");
  refused({"x.json: zzzzzzzz:", "bones, influences"}, R"({"zzzzzzzz": 3})");
  refused({"x.json", "JSON object"}, "[1]");
  refused({"x.json", "not JSON"}, "{");
  refused({"x.json: kind", "one of rigid, scale, stretch, flexible"}, R"({"kind": "soft"})");
}

TEST(Options, WordsStandForValues) {
  DecomposeOptions options;
  set_from_json(option_table(options), R"({"influences": "all"})", "test");
  EXPECT_GE(options.influences, std::size_t(1) << 62);
  EXPECT_EQ(to_object(settings_of(options))["influences"], "all");
  SkeletonOptions skeleton;
  set_from_json(option_table(skeleton), R"({"bones": "auto"})", "test");
  EXPECT_EQ(skeleton.bones, 0U);
  ReadOptions reading;
  set_from_json(option_table(reading), R"({"unit": "cm", "fps": 24})", "test");
  EXPECT_EQ(reading.unit, 0.01);
  EXPECT_EQ(reading.fps, 24);
}

TEST(Options, WhatIsNotGivenIsNull) {
  CompressOptions options{.virtual_bones = 30};
  EXPECT_FALSE(to_object(settings_of(options)).contains("error"));
  set_from_json(option_table(options), R"({"virtual_bones": null, "error": 2})", "test");
  EXPECT_FALSE(options.virtual_bones);
  EXPECT_EQ(options.error, 2);
}

}  // namespace
}  // namespace marrow
