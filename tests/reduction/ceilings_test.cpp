#include <gtest/gtest.h>

#include "marrow/deform.hpp"
#include "marrow/metrics.hpp"
#include "marrow/reduce.hpp"
#include "support/ceilings.hpp"
#include "support/files.hpp"
#include "support/quality.hpp"
#include "support/real_rigs.hpp"

namespace marrow {
namespace {

TEST(ReduceCeilings, RealRigsStayBelow) {
  MARROW_JUDGES_QUALITY();
  MARROW_NEEDS_SHARED(shared);
  for (const testing::Ceiling& row : testing::read_ceilings("reduce_ceilings.txt")) {
    const Rig& rig = testing::real_rig(shared, row.text("rig"));
    const ReduceOptions options{.influences = row.count("influences"),
                                .method = value_of(row.text("method"), reduce_method_names()).value()};
    testing::expect_below(row, compare(bake(rig), reduce(rig, options).value).e_rms);
  }
}

}  // namespace
}  // namespace marrow
