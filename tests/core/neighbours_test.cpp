#include "core/neighbours.hpp"

#include <gtest/gtest.h>

#include "support/shapes.hpp"

namespace marrow {
namespace {

std::vector<std::uint32_t> row(const Neighbours& neighbours, std::size_t i) {
  const auto of = neighbours.of(i);
  return {of.begin(), of.end()};
}

TEST(Neighbours, WithinTwoEdgesAreTheNearerOnesFirst) {
  const Neighbours around = within_two_edges(mesh_neighbours(testing::cube_of_quads()));
  // Numbers that differ in one bit, then those that differ in two.
  EXPECT_EQ(row(around, 0), (std::vector<std::uint32_t>{1, 2, 4, 3, 5, 6}));
  EXPECT_EQ(row(around, 7), (std::vector<std::uint32_t>{3, 5, 6, 1, 2, 4}));
}

/// A fan: everybody is within two edges of everybody.
TEST(Neighbours, AHubDoesNotMakeListsOfEverybody) {
  constexpr std::uint32_t count = 50000;
  Mesh mesh;
  mesh.positions.resize(count + 1);
  for (std::uint32_t i = 1; i + 1 <= count; ++i) testing::add_face(mesh, {0, i, i + 1});
  const Neighbours around = within_two_edges(mesh_neighbours(mesh));
  for (const std::uint32_t i : {0U, 1U, 777U, count}) {
    const std::vector<std::uint32_t> list = row(around, i);
    ASSERT_EQ(list.size(), most_within_two_edges) << i;
    EXPECT_EQ(std::count(list.begin(), list.end(), i), 0);
  }
  EXPECT_EQ(row(around, 777)[0], 0U);
  EXPECT_EQ(row(around, 777)[1], 776U);
  EXPECT_EQ(row(around, 777)[2], 778U);
}

}  // namespace
}  // namespace marrow
