#include <gtest/gtest.h>

#include "marrow/ddm.hpp"
#include "marrow/metrics.hpp"
#include "support/ceilings.hpp"
#include "support/files.hpp"
#include "support/quality.hpp"
#include "support/real_rigs.hpp"

namespace marrow {
namespace {

TEST(DdmCeilings, RealModelsStayBelow) {
  MARROW_JUDGES_QUALITY();
  MARROW_NEEDS_SHARED(shared);
  for (const testing::Ceiling& row : testing::read_ceilings("ddm_ceilings.txt")) {
    const Rig& rig = testing::real_rig(shared, row.text("model"));
    const DdmOptions options{.smoothing =
                                 row.text("smoothing") == "uniform" ? DdmSmoothing::uniform : DdmSmoothing::distance};
    const Metrics metrics = compare(DeltaMush(rig, options).bake(), make_ddm(rig, options).value);
    testing::expect_below(row, metrics.percent(metrics.error.rms));
  }
}

}  // namespace
}  // namespace marrow
