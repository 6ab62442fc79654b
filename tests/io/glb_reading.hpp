#pragma once

#include <gtest/gtest.h>

#include "io/glb.hpp"
#include "support/glb_builder.hpp"

namespace marrow::testing {

inline Sequence read_as_sequence(GlbBuilder& glb, double fps = 0) {
  return std::get<Sequence>(read_glb(glb.save(), {.fps = fps}, {}));
}

inline void expect_near(const Vec3& p, double x, double y, double z, double tolerance = 1e-6) {
  EXPECT_NEAR(p.x, x, tolerance);
  EXPECT_NEAR(p.y, y, tolerance);
  EXPECT_NEAR(p.z, z, tolerance);
}

}  // namespace marrow::testing
