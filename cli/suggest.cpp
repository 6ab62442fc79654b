// What to say about a command or an option that there is not, and the order of options in help.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common.hpp"

namespace marrow::cli {
namespace {

/// "; did you mean WORD?" for the word nearest to what was typed, where one is near.
std::string suggestion(const std::string& typed, const std::vector<std::string>& words) {
  const std::string meant = nearest_name(typed, words);
  return meant.empty() ? "" : fmt::format("; did you mean {}?", meant);
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

constexpr const char* input_group = "Input";
constexpr const char* solve_group = "What to solve";
constexpr const char* show_group = "What to show";
constexpr const char* output_group = "Output";
constexpr const char* run_group = "Run";

/// Groups of options that are not about what is solved.
const std::map<std::string, const char*> groups = {{"rest", input_group},
                                                   {"fps", input_group},
                                                   {"up", input_group},
                                                   {"unit", input_group},
                                                   {"clip", input_group},
                                                   {"options", input_group},
                                                   {"original", input_group},
                                                   {"sample", input_group},
                                                   {"ranges", input_group},
                                                   {"tree", input_group},
                                                   {"weights-for", input_group},
                                                   {"motion-for", input_group},
                                                   {"vertex-colors", input_group},
                                                   {"out", output_group},
                                                   {"json", output_group},
                                                   {"report", output_group},
                                                   {"curve", output_group},
                                                   {"also", output_group},
                                                   {"bake", output_group},
                                                   {"float", output_group},
                                                   {"per-vertex", output_group},
                                                   {"title", output_group},
                                                   {"size-limit", output_group},
                                                   {"size", output_group},
                                                   {"columns", output_group},
                                                   {"quiet", run_group},
                                                   {"threads", run_group},
                                                   {"seed", run_group},
                                                   {"effort", run_group},
                                                   {"keep-best", run_group},
                                                   {"help", run_group},
                                                   {"delta-mush", output_group}};

/// Options by group, in the same order for every command.
class GroupedHelp : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const override {
    std::string text = make_description(app) + make_usage(app, std::move(name)) + make_positionals(app);
    for (const char* group : {input_group, solve_group, show_group, output_group, run_group}) {
      const auto options = app->get_options(
          [&](const CLI::Option* option) { return option->get_group() == group && option->nonpositional(); });
      if (!options.empty()) text += make_group(group, false, options);
    }
    return text + "\n" + make_footer(app);
  }
};

}  // namespace

void group_options(CLI::App& command) {
  const std::string name = command.get_name();
  const char* others = name == "render" || name == "view" ? show_group
                       : name == "compare"                ? output_group
                       : name == "convert"                ? input_group
                                                          : solve_group;
  for (CLI::Option* option : command.get_options()) {
    if (option->get_lnames().empty()) continue;
    const auto known = groups.find(option->get_lnames().front());
    option->group(known != groups.end() ? known->second : others);
  }
  command.formatter(std::make_shared<GroupedHelp>());
}

std::string unknown_word(const CLI::App& root, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0].starts_with("-")) return "";
  const CLI::App* command = nullptr;
  std::vector<std::string> commands;
  for (const CLI::App* known : root.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(known->get_name());
    if (known->get_name() == arguments[0]) command = known;
  }
  if (command == nullptr) {
    const std::string meant = suggestion(arguments[0], commands);
    return fmt::format("marrow: there is no command \"{}\"{}", arguments[0],
                       meant.empty() ? "; marrow --help lists them" : meant);
  }
  for (std::size_t k = 1; k < arguments.size() && arguments[k] != "--"; ++k) {
    const std::string name = arguments[k].substr(0, arguments[k].find('='));
    if (!name.starts_with("--") || command->get_option_no_throw(name) != nullptr) continue;
    const std::string meant = suggestion(name, options_of(*command));
    return fmt::format("marrow {0}: there is no option {1}{2}", arguments[0], name,
                       meant.empty() ? fmt::format("; marrow {} --help lists them", arguments[0]) : meant);
  }
  return "";
}

}  // namespace marrow::cli
