#pragma once

#include <cstddef>
#include <cstdint>

#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

/// Generated animations, deterministic by seed, for tests, demos and benchmarks. Where a rig made the motion, that rig
/// is returned: it is the known answer. Options out of range are an Error{bad_request}; see docs/synthetic.md for what
/// each data set holds.
namespace marrow::synthetic {

struct Options {
  std::size_t vertices = 2000;  ///< about this many: 20 to millions
  std::size_t frames = 60;      ///< at least 2
  double noise = 0;             ///< standard deviation added to every coordinate, in parts of the size (sequences only)
  std::uint64_t seed = 1;
};

/// Two bones along a bar; it bends by up to 90 degrees, then twists by up to 180. Has texture coordinates with a seam.
Rig bar(const Options& options = {});
/// Shoulder, elbow, wrist and two fingers: 6 bones in a chain that forks at the end.
Rig arm(const Options& options = {});
/// A walking four-legged body: pelvis, two of spine, neck, head, three of tail and four legs of three bones, smooth
/// weights, at most 4 influences. 20 bones; clips "walk" and "look", both loop; `frames` counts both, about 2 : 1.
Rig quadruped(const Options& options = {});
/// Rigid pieces that tumble apart, one bone each; no faces connect them. At least 8 vertices per piece.
Rig shells(const Options& options = {}, std::size_t pieces = 12);

/// The rig's frames with noise: what a solver gets to see.
Sequence observe(const Rig& rig, const Options& options = {}, const Run& run = {});

/// A cape on two moving shoulders: mass-spring cloth under gravity and wind. No exact rig exists.
Sequence cape(const Options& options = {}, const Run& run = {});
/// A ball of jelly in a smooth free-form wobble that keeps its volume and loops. No exact rig exists.
Sequence jelly(const Options& options = {});
/// Unordered poses: frames of a quadruped with random joint angles, each unrelated to the next.
Rig poses(const Options& options = {});

}  // namespace marrow::synthetic
