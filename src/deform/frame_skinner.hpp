#pragma once

#include <span>
#include <vector>

#include "marrow/rig.hpp"

namespace marrow {

/// Evaluates one pose of a rig after the other with the fastest kernel; reuses its scratch. One per thread.
class FrameSkinner {
 public:
  explicit FrameSkinner(const Rig& rig) : rig_(rig) {}

  void set_pose(std::span<const Affine> pose);
  /// Vertices [begin, end) of the pose into positions[begin, end).
  void evaluate(std::span<Vec3> positions, std::size_t begin, std::size_t end) const;

 private:
  const Rig& rig_;
  std::vector<double> matrices_;
};

}  // namespace marrow
