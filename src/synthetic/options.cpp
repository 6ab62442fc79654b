#include "core/option_fields.hpp"
#include "marrow/synthetic.hpp"

namespace marrow::synthetic {

std::vector<Option> option_table(Options& options) {
  using O = Options;
  const OptionFields<O> field(options);
  return {
      // Face corners (4 to 6 per vertex) and weights (up to 4) are counted in 32 bits.
      field("vertices", &O::vertices, {.help = "About this many vertices", .least = 20, .most = 1 << 29}),
      field("frames", &O::frames, {.help = "Number of frames", .least = 2, .most = 1 << 24}),
      field("noise", &O::noise,
            {.help = "Standard deviation of noise on every coordinate", .kind = OptionKind::share, .least = 0}),
      field("seed", &O::seed, {.help = "Other motion and noise for other numbers"}),
  };
}

}  // namespace marrow::synthetic
