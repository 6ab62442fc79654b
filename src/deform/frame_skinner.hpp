#pragma once

#include <span>
#include <vector>

#include "marrow/rig.hpp"

namespace marrow {

/// Evaluates poses of a rig with the fastest kernel. Reuses its buffers: one per thread.
class FrameSkinner {
 public:
  explicit FrameSkinner(const Rig& rig) : rig_(rig) {}

  void set_pose(std::span<const Affine> pose);
  /// Writes vertices [begin, end) of the pose to positions[begin, end).
  void evaluate(std::span<Vec3> positions, std::size_t begin, std::size_t end) const;

 private:
  const Rig& rig_;
  std::vector<double> matrices_;
};

}  // namespace marrow
