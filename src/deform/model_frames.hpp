#pragma once

#include <span>
#include <string_view>

#include "core/parallel.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// The rig's mesh in every frame of its motion: `pose(t, positions)` writes frame t. Called by many threads.
template <class Pose>
Sequence bake_frames(const Rig& rig, std::string_view stage, const Run& run, const Pose& pose) {
  Sequence sequence{rig.mesh, rig.motion.timeline, {}};
  sequence.positions.resize(rig.frames() * rig.vertices());
  parallel_for(run, stage, rig.frames(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) pose(t, sequence.frame(t));
  });
  return sequence;
}

/// The same for a model that deform() poses.
template <class Kind>
Sequence bake_model(const Kind& model, std::string_view stage, const Run& run) {
  return bake_frames(model.rig, stage, run, [&](std::size_t t, std::span<Vec3> positions) {
    deform(model, model.rig.motion.frame(t), positions);
  });
}

/// What deform_from_root() finds, put to where the root is.
template <class Kind>
void deform_in_world(const Kind& model, std::span<const Affine> pose, std::span<Vec3> positions) {
  const Affine root = deform_from_root(model, pose, positions);
  for (Vec3& p : positions) p = transform(root, p);
}

}  // namespace marrow
