#include <gtest/gtest.h>

#include "marrow/ddm.hpp"
#include "marrow/ddm_compression.hpp"
#include "marrow/deform.hpp"
#include "marrow/metrics.hpp"
#include "support/ceilings.hpp"
#include "support/files.hpp"
#include "support/quality.hpp"
#include "support/real_rigs.hpp"

namespace marrow {
namespace {

TEST(DdmCompressionCeilings, RealModelsStayBelow) {
  MARROW_JUDGES_QUALITY();
  MARROW_NEEDS_SHARED(shared);
  const std::map<std::string, DdmCompressionMethod> methods = {{"refined", DdmCompressionMethod::refined},
                                                               {"paper", DdmCompressionMethod::paper},
                                                               {"scalar-only", DdmCompressionMethod::scalar_only}};
  for (const testing::Ceiling& row : testing::read_ceilings("ddm_compression_ceilings.txt")) {
    const Rig& rig = testing::real_rig(shared, row.text("model"));
    const DdmRig ddm = make_ddm(rig).value;
    const DdmCompressionOptions options{.virtual_bones = row.count("virtual-bones"),
                                        .method = methods.at(row.text("method"))};
    const CompressedDdm result = compress(ddm, options, default_ranges(rig.skeleton)).value;
    const Metrics metrics = compare(bake(ddm), result);
    testing::expect_below(row, metrics.percent(metrics.error.rms));
  }
}

}  // namespace
}  // namespace marrow
