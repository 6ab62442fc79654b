#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "marrow/deform.hpp"
#include "marrow/metrics.hpp"
#include "marrow/reduce.hpp"
#include "marrow/synthetic.hpp"

namespace marrow::testing {

/// The same bones, but every vertex follows the `influences` nearest ones, by distance and a little by chance.
inline Rig with_dense_weights(Rig rig, std::size_t influences, std::uint64_t seed = 1) {
  const std::vector<Vec3> middles = weighted_centroids(rig.mesh, rig.weights, rig.bones());
  const double size = size_of(rig.mesh.positions);
  Random random(seed);
  Weights weights;
  weights.offsets.push_back(0);
  for (const Vec3& p : rig.mesh.positions) {
    std::vector<std::pair<double, std::uint32_t>> near;
    for (std::uint32_t j = 0; j < rig.bones(); ++j) {
      const double distance = std::hypot(p.x - middles[j].x, p.y - middles[j].y, p.z - middles[j].z) / size;
      near.emplace_back(-std::exp(-20 * distance * distance) - random.uniform(0.01, 0.05), j);
    }
    std::ranges::sort(near);
    near.resize(std::min(influences, near.size()));
    double sum = 0;
    for (const auto& [w, j] : near) sum -= w;
    std::ranges::sort(near, {}, &std::pair<double, std::uint32_t>::second);
    for (const auto& [w, j] : near) {
      weights.bones.push_back(j);
      weights.values.push_back(float(-w / sum));
    }
    weights.offsets.push_back(std::uint32_t(weights.bones.size()));
  }
  rig.weights = std::move(weights);
  return rig;
}

/// Different meshes and motions: a body with a hierarchy, a chain, loose pieces.
inline std::vector<Rig> dense_rigs() {
  return {with_dense_weights(synthetic::quadruped({.vertices = 250, .frames = 15}), 20),
          with_dense_weights(synthetic::arm({.vertices = 150, .frames = 12}), 6),
          with_dense_weights(synthetic::shells({.vertices = 120, .frames = 8}, 7), 7)};
}

/// The rig's frames with noise: a target that no weights reach.
inline Sequence noisy_target(const Rig& rig) {
  return synthetic::observe(rig, {.noise = 0.004, .seed = 3});
}

inline const std::vector<ReduceMethod>& all_methods() {
  static const std::vector<ReduceMethod> methods = [] {
    std::vector<ReduceMethod> list;
    for (const auto& entry : reduce_method_names()) list.push_back(entry.value);
    return list;
  }();
  return methods;
}

inline std::string name_of(ReduceMethod method) {
  return marrow::name_of(method, reduce_method_names());
}

/// What must hold for every result.
inline void expect_reduced(const Rig& result, const Rig& given, std::size_t influences) {
  validate(result);
  EXPECT_LE(result.weights.max_influences(), influences);
  EXPECT_EQ(result.mesh, given.mesh);
  EXPECT_EQ(result.skeleton, given.skeleton);
  EXPECT_EQ(result.motion, given.motion);
}

}  // namespace marrow::testing
