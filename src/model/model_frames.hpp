#pragma once

#include <span>
#include <string_view>

#include "deform/bake_frames.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// bake_frames() of a model that has deform().
template <class Kind>
Sequence bake_model(const Kind& model, std::string_view stage, const Run& run) {
  return bake_frames(model.rig, stage, run, [&](std::size_t t, std::span<Vec3> positions) {
    deform(model, model.rig.motion.frame(t), positions);
  });
}

/// Deforms relative to the root, then applies the root's transform.
template <class Kind>
void deform_in_world(const Kind& model, std::span<const Affine> pose, std::span<Vec3> positions) {
  const Affine root = deform_from_root(model, pose, positions);
  for (Vec3& p : positions) p = transform(root, p);
}

}  // namespace marrow
