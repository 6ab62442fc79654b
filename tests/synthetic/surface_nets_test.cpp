#include "synthetic/surface_nets.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/surface.hpp"
#include "synthetic/cell_cases.hpp"
#include "synthetic/simplify.hpp"

namespace marrow::synthetic {
namespace {

TEST(CellCases, SheetsAreKeptApart) {
  const auto cases = cell_cases();
  const auto sheets = [&](std::initializer_list<unsigned> corners) {
    unsigned inside = 0;
    for (const unsigned corner : corners) inside |= 1u << corner;
    return int(cases[inside].sheets);
  };
  EXPECT_EQ(sheets({}), 0);
  EXPECT_EQ(sheets({5}), 1);
  EXPECT_EQ(sheets({0, 1, 2, 3}), 1) << "a flat cut";
  EXPECT_EQ(sheets({0, 7}), 2) << "across the cube";
  EXPECT_EQ(sheets({0, 3}), 2) << "across a side: separated";
  EXPECT_EQ(sheets({0, 3, 4, 5, 6, 7}), 1) << "the same side seen from the other cube: one sheet with a saddle";
  EXPECT_EQ(sheets({0, 3, 5, 6}), 4) << "every other corner";
  EXPECT_EQ(sheets({0, 1, 2, 3, 4, 5, 6, 7}), 0);
}

TEST(CellCases, ExactlyTheCrossedEdgesHaveASheet) {
  const auto cases = cell_cases();
  for (unsigned inside = 0; inside < 256; ++inside) {
    for (unsigned e = 0; e < 12; ++e) {
      const auto [a, b] = cell_edge(e);
      const bool crossed = (inside >> a & 1) != (inside >> b & 1);
      EXPECT_EQ(cases[inside].sheet[e] != CellCase::none, crossed);
      EXPECT_TRUE(!crossed || cases[inside].sheet[e] < cases[inside].sheets);
    }
  }
}

/// A capsule of radius 0.3 around a line of length 1.
Body capsule() {
  const std::vector<Limb> limbs{{{{{0, 0, 0}, 0.3}, {{0.6, 0.8, 0}, 0.3}}}};
  return Body(limbs, 0.01);
}
constexpr double capsule_volume = std::numbers::pi * (0.09 + 4.0 / 3 * 0.027);

TEST(SurfaceNets, EncloseTheVolume) {
  const auto mesh = surface_nets(capsule(), 0.02);
  ASSERT_TRUE(mesh);
  validate(*mesh);
  EXPECT_TRUE(testing::is_closed(*mesh));
  EXPECT_EQ(testing::euler(*mesh), 2);
  EXPECT_NEAR(testing::volume(*mesh, mesh->positions) / capsule_volume, 1, 0.01);
}

TEST(SurfaceNets, VerticesLieOnTheSurface) {
  const Body body = capsule();
  const auto mesh = surface_nets(body, 0.02);
  ASSERT_TRUE(mesh);
  for (const Vec3& p : mesh->positions) EXPECT_NEAR(body.value(p.x, p.y, p.z, body.all_parts()), 0, 0.02 * 0.05);
}

TEST(Body, NarrowingLeavesValuesAsTheyAre) {
  const std::vector<Limb> limbs{{{{{0, 0, 0}, 0.3}, {{0.6, 0.8, 0}, 0.2}}, 1.3},
                                {{{{0, 0.5, 0}, 0.1}, {{1, 0.5, 0}, 0.2}}}};
  const Body body(limbs, 0.02);
  const auto all = body.all_parts();
  Random random(1);
  Body::Parts kept;
  std::size_t fewer = 0;
  for (int i = 0; i < 2000; ++i) {
    const Point centre(random.uniform(-0.5, 1.5), random.uniform(-0.5, 1.5), random.uniform(-0.5, 0.5));
    body.narrow(centre, 0.2, all, kept);
    fewer += kept.size() < all.size() ? 1 : 0;
    const double step = 0.2 / std::sqrt(2.0);
    const double x = centre.x() + random.uniform(-step, step), y = centre.y() + random.uniform(-step, step);
    EXPECT_EQ(body.value(x, y, centre.z(), kept), body.value(x, y, centre.z(), all));
  }
  EXPECT_GT(fewer, 1000u);
}

TEST(Simplify, ReachesTheCountAndKeepsTheForm) {
  const auto mesh = surface_nets(capsule(), 0.03);
  ASSERT_TRUE(mesh);
  const Mesh few = simplify(*mesh, 120);
  EXPECT_EQ(few.vertices(), 120u);
  EXPECT_TRUE(testing::is_closed(few));
  EXPECT_EQ(testing::euler(few), 2);
  EXPECT_NEAR(testing::volume(few, few.positions) / capsule_volume, 1, 0.05);
}

}  // namespace
}  // namespace marrow::synthetic
