#include "marrow/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/option_fields.hpp"
#include "marrow/error.hpp"

namespace marrow {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void fail(const OptionInfo& info, const std::string& given) {
  throw Error(ErrorCode::bad_request, info.name, fmt::format("{} was given; give {}", given, expected_values(info)));
}

std::string text_of(const Setting& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return fmt::format("\"{}\"", *text);
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

std::vector<std::string> choice_names(const OptionInfo& info) {
  std::vector<std::string> names;
  for (const OptionChoice& choice : info.choices) names.push_back(choice.name);
  return names;
}

std::string range_text(const OptionInfo& info, double scale) {
  const bool has_least = std::isfinite(info.least), has_most = std::isfinite(info.most);
  const double least = info.least * scale, most = info.most * scale;
  if (info.above_least)
    return has_most ? fmt::format("above {}, at most {}", least, most) : fmt::format("above {}", least);
  if (has_least && has_most) return fmt::format("from {} to {}", least, most);
  if (has_least) return fmt::format("from {}", least);
  return has_most ? fmt::format("at most {}", most) : "";
}

/// The value as the option's kind has it, where there is such a one: words are looked up, whole numbers are numbers.
std::optional<Setting> as_kind(const OptionInfo& info, const Setting& value) {
  const auto* text = std::get_if<std::string>(&value);
  const auto* whole = std::get_if<std::int64_t>(&value);
  const auto* number = std::get_if<double>(&value);
  if (text != nullptr) {
    for (const auto& [word, meaning] : info.words) {
      if (word == *text) return meaning;
    }
  }
  switch (info.kind) {
    case OptionKind::flag:
      return std::holds_alternative<bool>(value) ? std::optional(value) : std::nullopt;
    case OptionKind::count:
      return whole != nullptr && *whole >= 0 ? std::optional(value) : std::nullopt;
    case OptionKind::number:
    case OptionKind::share:
      if (whole != nullptr) return double(*whole);
      return number != nullptr ? std::optional(value) : std::nullopt;
    case OptionKind::choice:
      return text != nullptr && std::ranges::count(choice_names(info), *text) > 0 ? std::optional(value) : std::nullopt;
    case OptionKind::text:
      return text != nullptr ? std::optional(value) : std::nullopt;
  }
  return {};
}

bool in_range(const OptionInfo& info, double value) {
  if (!std::isfinite(value)) return false;
  if (value == 0 && !info.zero.empty()) return true;
  return (info.above_least ? value > info.least : value >= info.least) && value <= info.most;
}

/// Letters to insert, delete, replace or swap with the next one between two words.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  std::iota(d[0].begin(), d[0].end(), std::size_t(0));
  for (std::size_t x = 1; x <= a.size(); ++x) {
    d[x][0] = x;
    for (std::size_t y = 1; y <= b.size(); ++y) {
      d[x][y] = std::min({d[x - 1][y] + 1, d[x][y - 1] + 1, d[x - 1][y - 1] + (a[x - 1] == b[y - 1] ? 0 : 1)});
      const bool swapped = x > 1 && y > 1 && a[x - 1] == b[y - 2] && a[x - 2] == b[y - 1];
      if (swapped) d[x][y] = std::min(d[x][y], d[x - 2][y - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::optional<Setting> setting_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) return {};
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return {};
}

void set_one(const std::vector<Option>& table, const std::string& key, const Json& json) {
  const auto option = std::ranges::find(table, key, [](const Option& o) { return o.info.name; });
  if (option == table.end()) {
    std::vector<std::string> known;
    known.reserve(table.size());
    for (const Option& o : table) known.push_back(o.info.name);
    const std::string meant = nearest_name(key, known);
    throw Error(ErrorCode::bad_request, key,
                meant.empty() ? fmt::format("there is no such option; there are {}", fmt::join(known, ", "))
                              : fmt::format("there is no such option; did you mean {}?", meant));
  }
  const std::optional<Setting> value = setting_of(json);
  if (!value && !json.is_null()) fail(option->info, json.is_structured() ? json.type_name() : json.dump());
  assign(*option, value);
}

}  // namespace

std::string flag_of(const std::string& name) {
  std::string flag = "--" + name;
  std::ranges::replace(flag, '_', '-');
  return flag;
}

std::string expected_values(const OptionInfo& info, bool typed) {
  std::string what;
  const std::string range = range_text(info, typed ? info.scale : 1);
  const std::string with_range = range.empty() ? "" : " " + range;
  switch (info.kind) {
    case OptionKind::flag:
      what = "true or false";
      break;
    case OptionKind::count:
      what = (info.scale != 1 && typed ? "a number" : "a whole number") + with_range;
      break;
    case OptionKind::number:
      what = "a number" + with_range;
      break;
    case OptionKind::share:
      what = typed ? "a number" + with_range : "a share of the size" + with_range;
      break;
    case OptionKind::choice:
      what = fmt::format("one of {}", fmt::join(choice_names(info), ", "));
      break;
    case OptionKind::text:
      what = "a text";
      break;
  }
  if (typed && !info.unit.empty()) what += fmt::format(" ({})", info.unit);
  for (const auto& [word, meaning] : info.words) what += fmt::format(" or {}", word);
  if (info.zero.empty()) return what;
  const bool zero_is_in_range = info.least <= 0 && !info.above_least;
  return zero_is_in_range ? fmt::format("{} (0: {})", what, info.zero) : fmt::format("0 ({}) or {}", info.zero, what);
}

std::string value_text(const OptionInfo& info, const std::optional<Setting>& value, bool typed) {
  if (!value) return "none";
  for (const auto& [word, meaning] : info.words) {
    if (meaning == *value) return word;
  }
  if (typed && info.scale != 1) {
    const double number =
        std::holds_alternative<double>(*value) ? std::get<double>(*value) : double(std::get<std::int64_t>(*value));
    return fmt::format("{:.10g}", number * info.scale);
  }
  if (const auto* text = std::get_if<std::string>(&*value)) return *text;
  return text_of(*value);
}

void check_range(const OptionInfo& info, const std::optional<Setting>& value) {
  if (!value) return;
  for (const auto& [word, meaning] : info.words) {
    if (meaning == *value) return;
  }
  if (const auto* whole = std::get_if<std::int64_t>(&*value)) {
    if (!in_range(info, double(*whole))) fail(info, text_of(*value));
  } else if (const auto* number = std::get_if<double>(&*value)) {
    if (!in_range(info, *number)) fail(info, text_of(*value));
  } else if (info.kind == OptionKind::choice && !as_kind(info, *value)) {
    fail(info, text_of(*value));
  }
}

void assign(const Option& option, const std::optional<Setting>& value) {
  if (!value && !option.info.optional) fail(option.info, "no value");
  const std::optional<Setting> fitting = value ? as_kind(option.info, *value) : std::nullopt;
  if (value && !fitting) fail(option.info, text_of(*value));
  check_range(option.info, fitting);
  option.set(fitting);
}

std::string nearest_name(const std::string& misspelt, const std::vector<std::string>& known) {
  std::string nearest;
  std::size_t least = 2 + misspelt.size() / 4;
  for (const std::string& name : known) {
    const std::size_t distance = name.starts_with(misspelt) ? 0 : edit_distance(misspelt, name);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

void set_from_json(const std::vector<Option>& table, const std::string& json, const std::string& file) {
  Json object;
  try {
    object = Json::parse(json);
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::bad_file, file, fmt::format("is not JSON: {}", error.what()));
  }
  if (!object.is_object()) throw Error(ErrorCode::bad_file, file, "give a JSON object such as {\"bones\": 20}");
  for (const auto& [key, value] : object.items()) {
    try {
      set_one(table, key, value);
    } catch (const Error& error) {
      throw Error(ErrorCode::bad_file, fmt::format("{}: {}", file, key), error.message());
    }
  }
}

std::vector<std::pair<std::string, Setting>> settings_of(const std::vector<Option>& table) {
  std::vector<std::pair<std::string, Setting>> settings;
  for (const Option& option : table) {
    std::optional<Setting> value = option.get();
    if (!value) continue;
    for (const auto& [word, meaning] : option.info.words) {
      if (meaning == *value) value = word;
    }
    settings.emplace_back(option.info.name, *value);
  }
  return settings;
}

}  // namespace marrow
