// How many bones are found where the number is not given.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "marrow/deform.hpp"
#include "marrow/skeleton.hpp"
#include "marrow/synthetic.hpp"
#include "support/quality.hpp"

namespace marrow {
namespace {

/// The quadruped with stiff feet and a stiff tail: bones that move nothing any more stay, without vertices.
Rig with_fourteen_bones(Rig rig) {
  const std::set<std::string> stiff{"tail_2",           "tail_3",         "front_left_foot",
                                    "front_right_foot", "hind_left_foot", "hind_right_foot"};
  std::vector<std::uint32_t> owner(rig.bones());
  for (std::uint32_t j = 0; j < rig.bones(); ++j) {
    const bool goes = stiff.contains(rig.skeleton.names[j]);
    owner[j] = goes ? owner[std::size_t(rig.skeleton.parents[j])] : j;
  }
  Weights weights{{0}, {}, {}};
  for (std::size_t i = 0; i < rig.vertices(); ++i) {
    std::map<std::uint32_t, float> row;
    const auto bones = rig.weights.row_bones(i);
    const auto values = rig.weights.row_values(i);
    for (std::size_t e = 0; e < bones.size(); ++e) row[owner[bones[e]]] += values[e];
    for (const auto& [bone, value] : row) {
      weights.bones.push_back(bone);
      weights.values.push_back(value);
    }
    weights.offsets.push_back(std::uint32_t(weights.bones.size()));
  }
  rig.weights = std::move(weights);
  return rig;
}

std::size_t bones_with_vertices(const Rig& rig) {
  return std::set<std::uint32_t>(rig.weights.bones.begin(), rig.weights.bones.end()).size();
}

TEST(SkeletonAuto, AsManyBonesAsTheBodyHasOutOfThirty) {
  MARROW_JUDGES_QUALITY();
  for (const double noise : {0.0, 0.0005, 0.002}) {
    const synthetic::Options options{.vertices = 800, .frames = 24, .noise = noise};
    const Rig truth = with_fourteen_bones(synthetic::poses(options));
    ASSERT_EQ(bones_with_vertices(truth), 14U);
    const Rig found = extract_skeleton(synthetic::observe(truth, options), {.bones = 0, .most_bones = 30}).value;
    EXPECT_NEAR(double(bones_with_vertices(found)), 14, 2) << "noise " << noise;
  }
}

}  // namespace
}  // namespace marrow
