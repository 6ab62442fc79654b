#include "marrow/sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.hpp"

namespace marrow {

Timeline Timeline::uniform(std::size_t frames, double fps, std::string name) {
  Timeline timeline;
  timeline.times.resize(frames);
  for (std::size_t t = 0; t < frames; ++t) timeline.times[t] = double(t) / fps;
  timeline.clips.push_back({std::move(name), 0, frames});
  return timeline;
}

void validate(const Timeline& timeline) {
  constexpr const char* where = "Timeline";
  std::size_t next = 0;
  for (std::size_t c = 0; c < timeline.clips.size(); ++c) {
    const Clip& clip = timeline.clips[c];
    require(clip.first == next, where, [&] {
      return fmt::format("clip {} (\"{}\") starts at frame {} instead of {}", c, clip.name, clip.first, next);
    });
    require(clip.count > 0, where, [&] { return fmt::format("clip {} (\"{}\") has no frames", c, clip.name); });
    require(clip.count <= timeline.frames() - next, where, [&] {
      return fmt::format("clip {} (\"{}\") runs past the last of {} frames", c, clip.name, timeline.frames());
    });
    next += clip.count;
    for (std::size_t t = clip.first; t < next; ++t) {
      require(std::isfinite(timeline.times[t]), where,
              [&] { return fmt::format("time of frame {} is not finite", t); });
      require(t == clip.first || timeline.times[t] > timeline.times[t - 1], where, [&] {
        return fmt::format("time of frame {} ({} s) does not come after the frame before it ({} s)", t,
                           timeline.times[t], timeline.times[t - 1]);
      });
    }
  }
  require(next == timeline.frames(), where,
          [&] { return fmt::format("clips cover {} of {} frames", next, timeline.frames()); });
}

Timeline slice(const Timeline& timeline, std::size_t first, std::size_t count) {
  if (first > timeline.frames() || count > timeline.frames() - first) {
    throw Error(
        ErrorCode::bad_request, "slice",
        fmt::format("{} frames from frame {} were asked for, but there are {}", count, first, timeline.frames()));
  }
  Timeline part;
  const auto begin = timeline.times.begin() + std::ptrdiff_t(first);
  part.times.assign(begin, begin + std::ptrdiff_t(count));
  for (const Clip& clip : timeline.clips) {
    const std::size_t from = std::max(first, clip.first), to = std::min(first + count, clip.first + clip.count);
    if (from < to) part.clips.push_back({clip.name, from - first, to - from});
  }
  return part;
}

void validate(const Sequence& sequence) {
  constexpr const char* where = "Sequence";
  validate(sequence.mesh);
  validate(sequence.timeline);
  const std::size_t n = sequence.vertices(), frames = sequence.frames();
  require(sequence.positions.size() == n * frames, where, [&] {
    return fmt::format("positions has {} entries, but {} frames of {} vertices need {}", sequence.positions.size(),
                       frames, n, n * frames);
  });
  const std::size_t bad = first_not_finite(sequence.positions);
  require(bad == sequence.positions.size(), where,
          [&] { return fmt::format("frame {}, vertex {} is not finite", bad / n, bad % n); });
}

Sequence slice(const Sequence& sequence, std::size_t first, std::size_t count) {
  Sequence part{sequence.mesh, slice(sequence.timeline, first, count), {}};
  const auto begin = sequence.positions.begin() + std::ptrdiff_t(first * sequence.vertices());
  part.positions.assign(begin, begin + std::ptrdiff_t(count * sequence.vertices()));
  return part;
}

}  // namespace marrow
