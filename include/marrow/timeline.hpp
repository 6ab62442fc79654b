#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace marrow {

/// A named range of frames, [first, first + count).
struct Clip {
  std::string name;
  std::size_t first = 0;
  std::size_t count = 0;
  bool operator==(const Clip&) const = default;
};

/// Times of the frames, and clips.
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

/// Frames [first, first + count) and the parts of clips within. Throws Error{bad_request} if there are fewer frames.
Timeline slice(const Timeline& timeline, std::size_t first, std::size_t count);

}  // namespace marrow
