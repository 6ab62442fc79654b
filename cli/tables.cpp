// A hidden command for tests/tools/option_tables: prints the Markdown table of an options struct.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "common.hpp"
#include "marrow/marrow.hpp"

namespace marrow::cli {
namespace {

template <class Options>
std::string table_of() {
  Options options{};
  return markdown(option_table(options));
}

const std::map<std::string, std::string (*)()>& tables() {
  static const std::map<std::string, std::string (*)()> all = {{"decompose", table_of<DecomposeOptions>},
                                                               {"skeleton", table_of<SkeletonOptions>},
                                                               {"reduce", table_of<ReduceOptions>},
                                                               {"compress", table_of<CompressOptions>},
                                                               {"ddm", table_of<DdmOptions>},
                                                               {"ddm_compression", table_of<DdmCompressionOptions>},
                                                               {"read", table_of<ReadOptions>},
                                                               {"glb", table_of<GlbOptions>},
                                                               {"page", table_of<PageOptions>},
                                                               {"render", table_of<RenderOptions>},
                                                               {"synthetic", table_of<synthetic::Options>}};
  return all;
}

}  // namespace

Command make_tables(CLI::App& root) {
  const auto name = std::make_shared<std::string>();
  CLI::App* app = root.add_subcommand("option-table", "Print the options of a struct as a Markdown table")->group("");
  std::vector<std::string> names;
  for (const auto& [known, print] : tables()) names.push_back(known);
  app->add_option("NAME", *name, "Struct")->required()->check(CLI::IsMember(names));
  return {app, [name] {
            fmt::print("{}", tables().at(*name)());
            return Exit::done;
          }};
}

}  // namespace marrow::cli
