#include <gtest/gtest.h>

#include "marrow/deform.hpp"
#include "marrow/metrics.hpp"
#include "marrow/two_layer.hpp"
#include "support/ceilings.hpp"
#include "support/files.hpp"
#include "support/quality.hpp"
#include "support/real_rigs.hpp"

namespace marrow {
namespace {

TEST(TwoLayerCeilings, RealRigsStayBelow) {
  MARROW_JUDGES_QUALITY();
  MARROW_NEEDS_SHARED(shared);
  for (const testing::Ceiling& row : testing::read_ceilings("two_layer_ceilings.txt")) {
    const Rig& rig = testing::real_rig(shared, row.text("rig"));
    const Sequence frames = bake(rig);
    CompressOptions options{.method = compress_method_names().at(row.text("method")),
                            .refit = refit_names().at(row.text("refit")),
                            .effort = effort_names().at(row.text("effort"))};
    if (row.text("bones-per-vertex") != "-") options.bones_per_vertex = row.number("bones-per-vertex");
    if (row.text("virtual-bones") != "-") options.virtual_bones = row.count("virtual-bones");
    const TwoLayerRig layers = compress(rig, options, row.text("poses") == "yes" ? &frames : nullptr).value;
    testing::expect_below(row, compare(frames, layers).e_rms);
  }
}

}  // namespace
}  // namespace marrow
