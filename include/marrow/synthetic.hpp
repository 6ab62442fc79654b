#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "marrow/options.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

/// Generated animations for tests, demos and benchmarks; the same seed gives the same data. Where a rig generates the
/// motion, that rig is returned: the known answer. Options out of range throw Error{bad_request}; docs/synthetic.md
/// describes each data set.
namespace marrow::synthetic {

struct Options {
  std::size_t vertices = 2000;  ///< approximate number, 20 to 2^29
  std::size_t frames = 60;      ///< at least 2
  double noise = 0;  ///< standard deviation of noise on every coordinate, as a share of the size (sequences only)
  std::uint64_t seed = 1;
};
/// Its fields for flags, JSON, reports and documentation.
std::vector<Option> option_table(Options& options);

/// Two bones along a bar, which bends by up to 90 degrees, then twists by up to 180. Texture coordinates have a seam.
Rig bar(const Options& options = {});
/// Shoulder, elbow, wrist and two fingers: 6 bones in a chain that forks at the end.
Rig arm(const Options& options = {});
/// A walking four-legged body: pelvis, two of spine, neck, head, three of tail and four legs of three bones, smooth
/// weights, at most 4 influences. 20 bones; clips "walk" and "look", both loop; `frames` counts both, about 2 : 1.
Rig quadruped(const Options& options = {});
/// Rigid pieces that tumble apart, one bone each, without connecting faces. At least 8 vertices per piece.
Rig shells(const Options& options = {}, std::size_t pieces = 12);

/// The rig's frames with noise: a solver's input.
Sequence observe(const Rig& rig, const Options& options = {}, const Run& run = {});

/// A cape on two moving shoulders: mass-spring cloth under gravity and wind. No rig reproduces it exactly.
Sequence cape(const Options& options = {}, const Run& run = {});
/// A ball of jelly in a smooth, looping wobble that preserves volume. No rig reproduces it exactly.
Sequence jelly(const Options& options = {});
/// Unordered poses: frames of the quadruped with independent random joint angles.
Rig poses(const Options& options = {});

}  // namespace marrow::synthetic
