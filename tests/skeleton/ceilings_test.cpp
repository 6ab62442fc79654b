#include <gtest/gtest.h>

#include "marrow/metrics.hpp"
#include "marrow/skeleton.hpp"
#include "support/ceilings.hpp"
#include "support/files.hpp"
#include "support/quality.hpp"
#include "support/real_rigs.hpp"

namespace marrow {
namespace {

TEST(SkeletonCeilings, RealSequencesStayBelow) {
  MARROW_JUDGES_QUALITY();
  MARROW_NEEDS_SHARED(shared);
  for (const testing::Ceiling& row : testing::read_ceilings("skeleton_ceilings.txt")) {
    const Sequence sequence = testing::real_sequence(shared, row.text("sequence"));
    const SkeletonOptions options{.bones = row.count("bones"),
                                  .effort = value_of(row.text("effort"), effort_names()).value(),
                                  .method = value_of(row.text("method"), skeleton_method_names()).value()};
    testing::expect_below(row, compare(sequence, extract_skeleton(sequence, options).value).e_rms);
  }
}

}  // namespace
}  // namespace marrow
