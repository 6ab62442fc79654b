#include "core/option_fields.hpp"
#include "marrow/view.hpp"

namespace marrow {

std::vector<Option> option_table(PageOptions& options) {
  const OptionFields<PageOptions> field(options);
  return {
      field("size_limit", &PageOptions::size_limit,
            {.help = "Show fewer frames where the page would be larger", .least = 1, .unit = "MB", .scale = 1e-6}),
  };
}

}  // namespace marrow
