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
    CompressOptions options{.method = value_of(row.text("method"), compress_method_names()).value(),
                            .refit = value_of(row.text("refit"), refit_names()).value(),
                            .effort = value_of(row.text("effort"), effort_names()).value()};
    if (row.text("bones-per-vertex") != "-") options.bones_per_vertex = row.number("bones-per-vertex");
    if (row.text("virtual-bones") != "-") options.virtual_bones = row.count("virtual-bones");
    const TwoLayerRig layers = compress(rig, options, row.text("poses") == "yes" ? &frames : nullptr).value;
    testing::expect_below(row, compare(frames, layers).e_rms);
  }
}

}  // namespace
}  // namespace marrow
