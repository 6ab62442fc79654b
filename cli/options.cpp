// Flags, --options and Markdown from the tables of options.
#include "options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

namespace marrow::cli {
namespace {

bool turns_off(const OptionInfo& info) {
  return info.kind == OptionKind::flag && info.default_value == std::optional<Setting>(true);
}

/// What a text on the command line stands for, in the library's units; a text where it is none of the option's values.
Setting value_of_text(const OptionInfo& info, const std::string& text) {
  const bool has_percent = info.kind == OptionKind::share && text.ends_with('%');
  const std::string number = has_percent ? text.substr(0, text.size() - 1) : text;
  switch (info.kind) {
    case OptionKind::count:
      if (info.scale != 1) {
        const std::optional<double> typed = to_number<double>(number);
        if (typed && std::abs(*typed / info.scale) < 9e18) return std::int64_t(std::llround(*typed / info.scale));
      } else if (const auto whole = to_number<std::int64_t>(number)) {
        return *whole;
      }
      return text;
    case OptionKind::number:
    case OptionKind::share:
      if (const auto typed = to_number<double>(number)) return *typed / info.scale;
      return text;
    default:
      return text;
  }
}

/// What stands for the value in --help.
const char* type_name(const OptionInfo& info) {
  switch (info.kind) {
    case OptionKind::flag:
      return "";
    case OptionKind::count:
      return "N";
    case OptionKind::number:
      return "X";
    case OptionKind::share:
      return "PERCENT";
    case OptionKind::choice:
      return "NAME";
    case OptionKind::text:
      return "FILE";
  }
  return "";
}

/// Empty where the text may be given, else what is wrong with it.
std::string problem_of(const OptionInfo& info, const std::string& text) {
  try {
    assign({info, {}, [](const std::optional<Setting>&) {}}, value_of_text(info, text));
    return {};
  } catch (const Error&) {
    return fmt::format("\"{}\" was given; give {}", text, expected_values(info, true));
  }
}

std::string read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(ErrorCode::bad_file, file, "is not there, or may not be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Replaces whole words, such as names of fields with an underscore.
std::string replace_word(std::string text, const std::string& word, const std::string& by) {
  const auto is_letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size())) {
    const std::size_t end = at + word.size();
    const bool whole = (at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]));
    if (!whole) {
      at = end - by.size();
      continue;
    }
    text.replace(at, word.size(), by);
  }
  return text;
}

std::string in_code(const std::string& text) {
  return text.empty() ? "" : fmt::format("`{}`", text);
}

}  // namespace

std::string help_of(const Option& option) {
  const OptionInfo& info = option.info;
  if (info.kind == OptionKind::flag) return info.flag_help.empty() ? info.help : info.flag_help;
  std::string help = info.help;
  std::vector<std::string> names;
  for (const OptionChoice& choice : info.choices) names.push_back(choice.name);
  for (const auto& [word, meaning] : info.words) names.push_back(word);
  if (!info.choices.empty()) {
    help += fmt::format(": {}", fmt::join(names, ", "));
  } else if (!names.empty()) {
    help += fmt::format(", or {}", fmt::join(names, ", "));
  }
  if (!info.unit.empty()) help += ", " + info.unit;
  if (!info.zero.empty()) help += "; 0: " + info.zero;
  if (!info.with.empty()) {
    help += fmt::format("; with {} {}", flag_of(info.with), fmt::join(info.with_values, " or "));
  }
  const std::optional<Setting> value = option.get();
  return value && !value_text(info, value).empty() ? fmt::format("{} (default {})", help, value_text(info, value, true))
                                                   : help;
}

void OptionFlags::add_table(CLI::App& app, std::vector<Option> table, const std::set<std::string>& by_hand) {
  for (Option& option : table) {
    CLI::Option* flag = nullptr;
    const OptionInfo& info = option.info;
    if (!info.flag.empty() && by_hand.count(info.name) == 0) {
      const std::string help = help_of(option);
      if (info.kind == OptionKind::flag) {
        flag = app.add_flag(info.flag, help);
      } else {
        flag = app.add_option(info.flag, help)
                   ->check(CLI::Validator([info](const std::string& text) { return problem_of(info, text); }, ""));
        flag->type_name(type_name(info));
      }
    }
    bound_.push_back({std::move(option), flag});
  }
}

void OptionFlags::add_file(CLI::App& app) {
  app.add_option("--options", file_, "JSON object with options by name, such as the settings of a report; flags win");
}

void OptionFlags::read() {
  if (!file_.empty()) {
    std::vector<Option> table;
    for (const auto& [option, flag] : bound_) {
      table.push_back({option.info, option.get, [this, &option = option](const std::optional<Setting>& value) {
                         given_.insert(option.info.name);
                         option.set(value);
                       }});
    }
    set_from_json(table, read_text(file_), file_);
  }
  for (const auto& [option, flag] : bound_) {
    if (flag == nullptr || flag->count() == 0) continue;
    given_.insert(option.info.name);
    const bool is_flag = option.info.kind == OptionKind::flag;
    assign(option, is_flag ? Setting(!turns_off(option.info)) : value_of_text(option.info, flag->results().back()));
  }
  for (const Bound& bound : bound_) check_with(bound);
}

/// Flags that would do nothing are mistakes.
void OptionFlags::check_with(const Bound& bound) const {
  const OptionInfo& info = bound.option.info;
  if (bound.flag == nullptr || bound.flag->count() == 0 || info.with.empty()) return;
  const auto other = std::ranges::find(bound_, info.with, [](const Bound& b) { return b.option.info.name; });
  const std::string value = value_text(other->option.info, other->option.get());
  if (std::ranges::count(info.with_values, value) > 0) return;
  throw Error(ErrorCode::bad_request, info.flag,
              fmt::format("goes with {} {} only, and here it is {}", other->option.info.flag,
                          fmt::join(info.with_values, " or "), value));
}

Error OptionFlags::in_flags(const Error& error) const {
  if (error.code() != ErrorCode::bad_request) return error;
  std::string where = error.where(), message = error.message();
  for (const Bound& bound : bound_) {
    const OptionInfo& info = bound.option.info;
    const std::string flag = info.flag.empty() ? flag_of(info.name) : info.flag;
    if (where == info.name) where = flag;
    if (info.name.find('_') != std::string::npos) message = replace_word(std::move(message), info.name, flag);
  }
  return {error.code(), where, message};
}

std::function<int()> with_options(OptionFlags& flags, std::function<int()> action) {
  return [&flags, action = std::move(action)] {
    flags.read();
    try {
      return action();
    } catch (const Error& error) {
      throw flags.in_flags(error);
    }
  };
}

namespace {

/// "1 to 16", "from 0", "above 1"; in units of the tool.
std::string short_range(const OptionInfo& info) {
  const double least = info.least * info.scale, most = info.most * info.scale;
  if (std::isfinite(most)) return fmt::format("{} to {}", least, most);
  if (!std::isfinite(least)) return "";
  return fmt::format("{} {}", info.above_least ? "above" : "from", least);
}

std::string meaning_of(const OptionInfo& info, const std::vector<Option>& table) {
  std::string meaning = info.help;
  for (const OptionChoice& choice : info.choices) {
    meaning += fmt::format("{} `{}`: {}", &choice == info.choices.data() ? "." : ";", choice.name, choice.help);
  }
  std::vector<std::string> notes;
  if (!info.unit.empty()) notes.push_back(info.unit);
  if (const std::string range = short_range(info); !range.empty()) notes.push_back(range);
  for (const auto& [word, meant] : info.words) notes.push_back(fmt::format("or `{}`", word));
  if (!info.zero.empty()) notes.push_back("0: " + info.zero);
  if (!info.with.empty()) {
    const auto other = std::ranges::find(table, info.with, [](const Option& o) { return o.info.name; });
    notes.push_back(fmt::format("with {} {}", in_code(other->info.flag), fmt::join(info.with_values, " or ")));
  }
  if (info.flag.empty()) notes.push_back("no flag: " + info.no_flag);
  return notes.empty() ? meaning : fmt::format("{} ({})", meaning, fmt::join(notes, "; "));
}

}  // namespace

std::string markdown(const std::vector<Option>& table) {
  std::string out = "| option | default | meaning |\n|---|---|---|\n";
  for (const Option& option : table) {
    const OptionInfo& info = option.info;
    // The name is said where the flag does not give it away.
    const std::string name = info.flag == flag_of(info.name) ? "" : in_code(info.name);
    const std::string both = info.flag.empty() || name.empty() ? in_code(info.flag) + name
                                                               : fmt::format("{} ({})", in_code(info.flag), name);
    const bool shows_default = info.kind != OptionKind::flag && info.default_value;
    const std::string value = shows_default ? value_text(info, info.default_value, true) : "";
    out += fmt::format(
        "| {} | {} | {} |\n", both, in_code(value),
        info.kind == OptionKind::flag && !info.flag_help.empty() ? info.flag_help : meaning_of(info, table));
  }
  return out;
}

}  // namespace marrow::cli
