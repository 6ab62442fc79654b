#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "marrow/error.hpp"
#include "marrow/options.hpp"

namespace marrow::cli {

/// The whole text as a number.
template <class Number>
std::optional<Number> to_number(const std::string& text) {
  Number value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

/// The options of a command: structs of the library, with flags and --options FILE.
class OptionFlags {
 public:
  /// Adds a flag for each field that has one. Those in `by_hand` are left to the command, as --bones, which may be
  /// "auto"; JSON has them all the same. Defaults shown are the values that the struct has now.
  template <class Options>
  void add(CLI::App& app, Options& options, const std::set<std::string>& by_hand = {}) {
    add_table(app, option_table(options), by_hand);
  }
  /// The same for options that only the tool has; they go into JSON, and have flags of their own.
  void add_own(Option option) { bound_.push_back({std::move(option), nullptr}); }
  /// --options, after all add().
  void add_file(CLI::App& app);

  /// Sets what --options FILE says, then what flags say.
  void read();
  /// Whether the field was given either way.
  bool given(const std::string& name) const { return given_.count(name) > 0; }
  /// The same error in the words of the command line: fields are called by their flags.
  Error in_flags(const Error& error) const;

 private:
  struct Bound {
    Option option;
    CLI::Option* flag = nullptr;
  };
  void add_table(CLI::App& app, std::vector<Option> table, const std::set<std::string>& by_hand);
  void check_with(const Bound& bound) const;

  std::vector<Bound> bound_;
  std::set<std::string> given_;
  std::string file_;
};

/// `action` with its options read first, and with errors in the words of the command line.
std::function<int()> with_options(OptionFlags& flags, std::function<int()> action);

/// "How far a vertex of the rest pose may move, % of the size; 0: no limit (default 0)": help of a flag.
std::string help_of(const Option& option);

/// "| option | default | meaning |" for the documentation.
std::string markdown(const std::vector<Option>& table);

}  // namespace marrow::cli
