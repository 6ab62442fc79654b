#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "marrow/decompose.hpp"
#include "marrow/math.hpp"

namespace marrow::testing {

/// What must hold for every result: a valid rig, exactly the bones asked for, each of use, of the right kind.
inline void expect_sound(const Rig& rig, std::size_t bones, std::size_t influences, BoneKind kind = BoneKind::rigid) {
  validate(rig);
  EXPECT_EQ(rig.bones(), bones);
  EXPECT_LE(rig.weights.max_influences(), influences);
  std::vector<bool> used(bones);
  for (const std::uint32_t j : rig.weights.bones) used[j] = true;
  EXPECT_EQ(std::ranges::count(used, true), std::ptrdiff_t(bones));
  for (const Affine& m : rig.motion.transforms) {
    ASSERT_TRUE(kind != BoneKind::rigid || orthonormality_defect(m) < 1e-9);
    ASSERT_GT(determinant(m), 0);
  }
}

}  // namespace marrow::testing
