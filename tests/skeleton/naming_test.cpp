// Names of the two sides of a body.
#include "skeleton/naming.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace marrow::skeleton {
namespace {

/// A root and chains that hang on it; each is as long as it has middles.
std::vector<std::string> names_of_chains(const std::vector<std::vector<Eigen::Vector3d>>& chains) {
  Tree tree;
  std::vector<Region> regions;
  const auto add = [&](std::size_t parent, const Eigen::Vector3d& middle, double mass) {
    tree.order.push_back(tree.parents.size());
    tree.parents.push_back(parent);
    tree.joints.push_back(middle);
    regions.push_back({middle, mass});
    return tree.parents.size() - 1;
  };
  add(none, {0, 0, 0}, 100);
  for (const auto& chain : chains) {
    std::size_t parent = 0;
    for (const Eigen::Vector3d& middle : chain) parent = add(parent, middle, 10);
  }
  return name_bones(tree, regions, MirrorPlane{0, 0}, 1).names;
}

void expect_both_sides(const std::vector<std::string>& names, std::ptrdiff_t pairs) {
  std::ptrdiff_t left = 0;
  for (const std::string& name : names) {
    for (const auto& [here, there] : {std::pair<std::string, std::string>{"_left", "_right"}, {"_right", "_left"}}) {
      if (!name.ends_with(here)) continue;
      left += here == "_left" ? 1 : 0;
      const std::string other = name.substr(0, name.size() - here.size()) + there;
      EXPECT_EQ(std::ranges::count(names, other), 1) << name;
    }
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
  }
  EXPECT_EQ(left, pairs);
}

TEST(SkeletonNaming, SidesComeInPairs) {
  expect_both_sides(names_of_chains({{{0.2, 0.3, 0}, {0.4, 0.3, 0}}, {{-0.2, 0.3, 0}, {-0.4, 0.3, 0}}}), 2);
}

TEST(SkeletonNaming, ABoneInTheMiddleIsNoSide) {
  // The first is beside the plane, the second so near to it that it is on it.
  expect_both_sides(names_of_chains({{{0.04, 0.3, 0}}, {{-0.02, 0.3, 0}}}), 0);
}

TEST(SkeletonNaming, WhatTheShorterSideDoesNotHaveIsNoSide) {
  expect_both_sides(names_of_chains({{{0.2, 0.3, 0}, {0.4, 0.3, 0}, {0.6, 0.3, 0}}, {{-0.2, 0.3, 0}, {-0.4, 0.3, 0}}}),
                    2);
}

}  // namespace
}  // namespace marrow::skeleton
