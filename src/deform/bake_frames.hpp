#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// The rig's mesh in every frame of its motion. pose(t, positions) writes frame t; threads call it concurrently.
template <class Pose>
Sequence bake_frames(const Rig& rig, std::string_view stage, const Run& run, const Pose& pose) {
  Sequence sequence{rig.mesh, rig.motion.timeline, {}};
  need(run, rig.frames() * rig.vertices(), sizeof(Vec3),
       fmt::format("{} frames of {} vertices", rig.frames(), rig.vertices()));
  sequence.positions.resize(rig.frames() * rig.vertices());
  parallel_for(run, stage, rig.frames(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) pose(t, sequence.frame(t));
  });
  return sequence;
}

}  // namespace marrow
