#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "marrow/rig.hpp"
#include "marrow/run.hpp"

namespace marrow {

/// Poses of a rig at any time, between frames as a glTF player shows the file that write_glb() writes: translations and
/// scales of a bone's nodes change linearly, their rotations by slerp. A flexible bone is a pair of nodes.
class Player {
 public:
  /// Fits the keys of all frames. The rig may go afterwards.
  explicit Player(const Rig& rig, const Run& run = {});
  ~Player();
  Player(Player&&) noexcept;
  Player& operator=(Player&&) noexcept;

  /// One transform per bone, from the rest pose to the time `seconds` of a clip, as in Motion::frame(). At the time of
  /// a frame that is the frame's own; before the first frame and after the last, theirs. Throws Error{bad_request} for
  /// a clip that is not there or a time that is not a number.
  std::vector<Affine> pose_at(std::size_t clip, double seconds) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

/// One pose. For more of them, a Player fits the keys once.
std::vector<Affine> pose_at(const Rig& rig, std::size_t clip, double seconds, const Run& run = {});

}  // namespace marrow
