#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace marrow {

/// A named run of frames.
struct Clip {
  std::string name;
  std::size_t first = 0;
  std::size_t count = 0;
  bool operator==(const Clip&) const = default;
};

/// When each frame happens, and which frames belong together.
///
/// Invariants: clips cover [0, frames) in order, each at least one frame long; times are finite, and strictly
/// increasing inside a clip (each clip has its own zero).
struct Timeline {
  std::vector<double> times;  ///< #frames, seconds
  std::vector<Clip> clips;

  std::size_t frames() const { return times.size(); }
  bool operator==(const Timeline&) const = default;

  /// One clip of `frames` frames at t / fps seconds.
  static Timeline uniform(std::size_t frames, double fps, std::string name = "clip");
};

void validate(const Timeline& timeline);

/// Frames [first, first + count), and the parts of the clips that lie in them. Throws Error{bad_request} where there
/// are not so many.
Timeline slice(const Timeline& timeline, std::size_t first, std::size_t count);

}  // namespace marrow
