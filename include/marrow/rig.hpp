#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "marrow/math.hpp"
#include "marrow/mesh.hpp"
#include "marrow/timeline.hpp"

namespace marrow {

/// Bones, their hierarchy and their rest pose.
///
/// Invariants: one name, parent and bind transform per bone; names are not empty and differ; parents come before their
/// children and are -1 at roots; bind transforms are finite and invertible.
struct Skeleton {
  std::vector<std::string> names;
  std::vector<std::int32_t> parents;
  std::vector<Affine> bind;  ///< bone to model space in the rest pose

  std::size_t bones() const { return names.size(); }
  bool operator==(const Skeleton&) const = default;
};

/// Transforms of all bones in all frames. frame(t)[j] takes rest-pose points of bone j to frame t. (The bone's own
/// frame in model space is frame(t)[j] * bind[j].)
///
/// Invariants: transforms.size() == frames * bones, all finite.
struct Motion {
  Timeline timeline;
  std::size_t bones = 0;
  std::vector<Affine> transforms;  ///< #frames x #bones

  std::size_t frames() const { return timeline.frames(); }
  std::span<const Affine> frame(std::size_t t) const { return {transforms.data() + t * bones, bones}; }
  std::span<Affine> frame(std::size_t t) { return {transforms.data() + t * bones, bones}; }
  bool operator==(const Motion&) const = default;
};

/// Convex skinning weights in compressed rows: vertex i has the entries [offsets[i], offsets[i + 1]).
///
/// Invariants: at least one entry per vertex, sorted by bone without repeats, each positive; rows sum to 1 within 1e-5.
struct Weights {
  std::vector<std::uint32_t> offsets;  ///< #vertices + 1
  std::vector<std::uint32_t> bones;    ///< #entries
  std::vector<float> values;           ///< #entries

  std::size_t vertices() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::span<const std::uint32_t> row_bones(std::size_t i) const {
    return {bones.data() + offsets[i], bones.data() + offsets[i + 1]};
  }
  std::span<const float> row_values(std::size_t i) const {
    return {values.data() + offsets[i], values.data() + offsets[i + 1]};
  }
  /// Largest number of bones per vertex.
  std::size_t max_influences() const;
  bool operator==(const Weights&) const = default;
};

/// Linear blend skinning: mesh, bones, weights and motion.
struct Rig {
  Mesh mesh;
  Skeleton skeleton;
  Weights weights;
  Motion motion;

  std::size_t vertices() const { return mesh.vertices(); }
  std::size_t bones() const { return skeleton.bones(); }
  std::size_t frames() const { return motion.frames(); }
  bool operator==(const Rig&) const = default;
};

void validate(const Skeleton& skeleton);
void validate(const Motion& motion);
/// `bones`: number of bones that entries may refer to.
void validate(const Weights& weights, std::size_t bones);
void validate(const Rig& rig);

/// Frames [first, first + count); see slice() of a timeline.
Motion slice(const Motion& motion, std::size_t first, std::size_t count);
Rig slice(const Rig& rig, std::size_t first, std::size_t count);

/// Per bone the mean of the rest positions, weighted by its weights; the mesh's mean for bones without vertices.
std::vector<Vec3> weighted_centroids(const Mesh& mesh, const Weights& weights, std::size_t bones);

/// A flat skeleton for bones without joints: bind transforms are translations to the weighted centroids, so that
/// interpolated keys rotate each bone about its centre.
Skeleton centroid_skeleton(const Mesh& mesh, const Weights& weights, std::size_t bones);

}  // namespace marrow
