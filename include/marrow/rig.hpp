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

/// Bones, their hierarchy and where they stand in the rest pose.
///
/// Invariants: one name, parent and bind transform per bone; names are not empty and differ; a parent comes before its
/// children and is -1 at a root; bind transforms are finite and invertible.
struct Skeleton {
  std::vector<std::string> names;
  std::vector<std::int32_t> parents;
  std::vector<Affine> bind;  ///< bone to model space in the rest pose

  std::size_t bones() const { return names.size(); }
  bool operator==(const Skeleton&) const = default;
};

/// What every bone does in every frame: transforms(t, j) carries rest-pose points of bone j to their place in frame t.
/// (A bone's own frame in model space is transforms(t, j) * bind(j).)
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

/// Convex skinning weights, compressed rows: vertex i has the entries [offsets[i], offsets[i + 1]).
///
/// Invariants: at least one entry per vertex, sorted by bone without repeats, each positive; a row sums to 1 within
/// 1e-5.
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
  /// Largest number of bones that a vertex follows.
  std::size_t max_influences() const;
  bool operator==(const Weights&) const = default;
};

/// Linear blend skinning: a mesh, the bones that move it and how much each vertex follows each of them.
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
/// `bones`: how many bones there are to refer to.
void validate(const Weights& weights, std::size_t bones);
void validate(const Rig& rig);

/// Frames [first, first + count) of the same bones; see slice() of a timeline.
Motion slice(const Motion& motion, std::size_t first, std::size_t count);
Rig slice(const Rig& rig, std::size_t first, std::size_t count);

/// Per bone the average of the rest positions that follow it, weighted by how much. A bone that moves nothing gets the
/// mesh's average.
std::vector<Vec3> weighted_centroids(const Mesh& mesh, const Weights& weights, std::size_t bones);

/// Where a bone bag has no joints of its own: flat hierarchy with bind transforms that are pure translations to the
/// weighted centroids, so that interpolated keys turn each bone about its own middle.
Skeleton centroid_skeleton(const Mesh& mesh, const Weights& weights, std::size_t bones);

}  // namespace marrow
