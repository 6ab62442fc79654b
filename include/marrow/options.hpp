#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "marrow/report.hpp"

namespace marrow {

/// What an option's value is.
enum class OptionKind {
  flag,    ///< true or false
  count,   ///< a whole number
  number,  ///< any other number
  share,   ///< a number that is a share of the size: 0.01 is 1 %
  choice,  ///< one of the names in OptionInfo::choices
  text,
};

struct OptionChoice {
  std::string name;
  std::string help;
};

/// What flags, `--help`, JSON, reports and documentation know about one field of an options struct. option_table() of
/// the struct has one per field.
struct OptionInfo {
  std::string name{};  ///< of the field; also its key in JSON and in Report::settings
  std::string help{};  ///< one sentence, without a full stop
  OptionKind kind = OptionKind::flag;
  bool optional = false;  ///< may be left without a value
  std::optional<Setting> default_value{};

  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above_least = false;  ///< `least` itself is out of range
  std::string zero{};        ///< what 0 stands for, where it is allowed whatever the range
  /// Names for values, such as "all" for the largest number.
  std::vector<std::pair<std::string, Setting>> words{};
  std::vector<OptionChoice> choices{};

  std::string unit{};  ///< such as "frames per second"; a share has "% of the size"
  double scale = 1;    ///< a value times this is in that unit (100 for a share); the tool is given units

  std::string flag{};  ///< of the tool, such as "--rest-limit"; of a flag that is true without it, what turns it off
  std::string flag_help{};                 ///< where that is not `help`, as for what turns something off
  std::string no_flag{};                   ///< why the tool has none, where `flag` is empty
  std::string with{};                      ///< another option without which this one has no meaning ...
  std::vector<std::string> with_values{};  ///< ... and its values with which it has
};

/// A field of a certain struct.
struct Option {
  OptionInfo info;
  std::function<std::optional<Setting>()> get;  ///< none: not given
  /// Takes what has the right type; see assign().
  std::function<void(const std::optional<Setting>&)> set;
};

/// "rest_limit" -> "--rest-limit"
std::string flag_of(const std::string& name);
/// Throws Error{bad_request} with the option's name as its place for a value out of range.
void check_range(const OptionInfo& info, const std::optional<Setting>& value);
/// Sets a value that may be of another type or out of range: the same error for these.
void assign(const Option& option, const std::optional<Setting>& value);
/// What may be given, such as "a whole number from 1 to 100"; in units of the tool where `typed`.
std::string expected_values(const OptionInfo& info, bool typed = false);
/// A value for people: a word where it has one, units of the tool where `typed`.
std::string value_text(const OptionInfo& info, const std::optional<Setting>& value, bool typed = false);
/// The one of `known` that was meant, where `misspelt` is near to it; else empty.
std::string nearest_name(const std::string& misspelt, const std::vector<std::string>& known);

/// Values from a JSON object by name; null: not given. Values may be those of Report::settings. Throws Error{bad_file}
/// with `file` and the key for an unknown name, a wrong type or a value out of range.
void set_from_json(const std::vector<Option>& table, const std::string& json, const std::string& file);

/// What is given, in the order of the table, for Report::settings.
std::vector<std::pair<std::string, Setting>> settings_of(const std::vector<Option>& table);

template <class Options>
std::vector<std::pair<std::string, Setting>> settings_of(const Options& options) {
  Options copy = options;
  return settings_of(option_table(copy));
}

/// Throws Error{bad_request} with the field's name as its place where one is out of range.
template <class Options>
void check_ranges(const Options& options) {
  Options copy = options;
  for (const Option& option : option_table(copy)) check_range(option.info, option.get());
}

}  // namespace marrow
