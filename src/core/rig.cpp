#include "marrow/rig.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/check.hpp"
#include "core/check_rows.hpp"
#include "core/rows.hpp"

namespace marrow {

std::size_t Weights::max_influences() const {
  return longest_row(offsets);
}

void validate(const Skeleton& skeleton) {
  constexpr const char* where = "Skeleton";
  const std::size_t bones = skeleton.bones();
  require(skeleton.parents.size() == bones && skeleton.bind.size() == bones, where, [&] {
    return fmt::format("{} names, {} parents and {} bind transforms: there must be one of each per bone", bones,
                       skeleton.parents.size(), skeleton.bind.size());
  });
  std::unordered_set<std::string> seen;
  for (std::size_t j = 0; j < bones; ++j) {
    require(!skeleton.names[j].empty(), where, [&] { return fmt::format("bone {} has no name", j); });
    require(seen.insert(skeleton.names[j]).second, where,
            [&] { return fmt::format("bone {} has the name \"{}\" of an earlier bone", j, skeleton.names[j]); });
    require(skeleton.parents[j] >= -1 && skeleton.parents[j] < std::int64_t(j), where, [&] {
      return fmt::format("parent of bone {} is {}: it must be -1 or an earlier bone", j, skeleton.parents[j]);
    });
    require(is_finite(skeleton.bind[j]) && std::isfinite(1 / determinant(skeleton.bind[j])), where,
            [&] { return fmt::format("bind transform of bone {} (\"{}\") is not invertible", j, skeleton.names[j]); });
  }
}

void validate(const Motion& motion) {
  constexpr const char* where = "Motion";
  validate(motion.timeline);
  require(motion.transforms.size() == motion.frames() * motion.bones, where, [&] {
    return fmt::format("{} transforms, but {} frames of {} bones need {}", motion.transforms.size(), motion.frames(),
                       motion.bones, motion.frames() * motion.bones);
  });
  for (std::size_t e = 0; e < motion.transforms.size(); ++e) {
    require(is_finite(motion.transforms[e]), where, [&] {
      return fmt::format("transform of bone {} in frame {} is not finite", e % motion.bones, e / motion.bones);
    });
  }
}

void validate(const Weights& weights, std::size_t bones) {
  constexpr const char* where = "Weights";
  require_rows(weights, bones, where);
  for (std::size_t i = 0; i < weights.vertices(); ++i) {
    double sum = 0;
    for (std::uint32_t e = weights.offsets[i]; e < weights.offsets[i + 1]; ++e) {
      require(weights.values[e] > 0 && std::isfinite(weights.values[e]), where, [&] {
        return fmt::format("weight of bone {} at vertex {} is {}: it must be positive", weights.bones[e], i,
                           weights.values[e]);
      });
      sum += weights.values[e];
    }
    require(std::abs(sum - 1) <= 1e-5, where,
            [&] { return fmt::format("weights of vertex {} sum to {} instead of 1", i, sum); });
  }
}

void validate(const Rig& rig) {
  constexpr const char* where = "Rig";
  validate(rig.mesh);
  validate(rig.skeleton);
  validate(rig.weights, rig.bones());
  validate(rig.motion);
  require(rig.weights.vertices() == rig.vertices(), where, [&] {
    return fmt::format("weights for {} vertices, but the mesh has {}", rig.weights.vertices(), rig.vertices());
  });
  require(rig.motion.bones == rig.bones(), where,
          [&] { return fmt::format("motion of {} bones, but the skeleton has {}", rig.motion.bones, rig.bones()); });
}

Motion slice(const Motion& motion, std::size_t first, std::size_t count) {
  Motion part{slice(motion.timeline, first, count), motion.bones, {}};
  const auto begin = motion.transforms.begin() + std::ptrdiff_t(first * motion.bones);
  part.transforms.assign(begin, begin + std::ptrdiff_t(count * motion.bones));
  return part;
}

Rig slice(const Rig& rig, std::size_t first, std::size_t count) {
  return {rig.mesh, rig.skeleton, rig.weights, slice(rig.motion, first, count)};
}

std::vector<Vec3> weighted_centroids(const Mesh& mesh, const Weights& weights, std::size_t bones) {
  // Per bone: sums of weight * position and of weight.
  std::vector<std::array<double, 4>> sums(bones, {0, 0, 0, 0});
  std::array<double, 4> all{0, 0, 0, 0};
  for (std::size_t i = 0; i < mesh.vertices(); ++i) {
    const Vec3& p = mesh.positions[i];
    for (std::uint32_t e = weights.offsets[i]; e < weights.offsets[i + 1]; ++e) {
      const double w = weights.values[e];
      auto& s = sums[weights.bones[e]];
      s[0] += w * p.x;
      s[1] += w * p.y;
      s[2] += w * p.z;
      s[3] += w;
    }
    all[0] += p.x;
    all[1] += p.y;
    all[2] += p.z;
    all[3] += 1;
  }
  std::vector<Vec3> centroids(bones);
  for (std::size_t j = 0; j < bones; ++j) {
    const auto& s = sums[j][3] > 0 ? sums[j] : all;
    const double scale = s[3] > 0 ? 1 / s[3] : 0;
    centroids[j] = {float(s[0] * scale), float(s[1] * scale), float(s[2] * scale)};
  }
  return centroids;
}

Skeleton centroid_skeleton(const Mesh& mesh, const Weights& weights, std::size_t bones) {
  Skeleton skeleton;
  const std::vector<Vec3> centroids = weighted_centroids(mesh, weights, bones);
  for (std::size_t j = 0; j < bones; ++j) {
    skeleton.names.push_back(fmt::format("bone_{:03}", j));
    skeleton.parents.push_back(-1);
    skeleton.bind.push_back(Affine::translation(centroids[j].x, centroids[j].y, centroids[j].z));
  }
  return skeleton;
}

}  // namespace marrow
