#include "synthetic/quadruped.hpp"

#include <algorithm>
#include <cmath>

namespace marrow::synthetic {
namespace {

constexpr double walk_cycle = 40;  // frames, approximately

/// Appends a looping clip of `count` frames in which `motion` repeats `cycles` times (whole).
template <class Motion>
void add_clip(Timeline& timeline, std::vector<Stance>& stances, const char* name, std::size_t count, double cycles,
              Motion motion) {
  timeline.clips.push_back({name, timeline.frames(), count});
  for (std::size_t t = 0; t < count; ++t) {
    timeline.times.push_back(double(t) / frames_per_second);
    const double phase = cycles * double(t) / double(count);
    stances.push_back(motion(phase - std::floor(phase)));
  }
}

}  // namespace

Rig quadruped(const Options& options) {
  check_ranges(options);
  Rig rig = quadruped_at_rest(options.vertices);
  const std::size_t walk = std::max<std::size_t>(1, (2 * options.frames + 1) / 3);
  Timeline timeline;
  std::vector<Stance> stances;
  add_clip(timeline, stances, "walk", walk, std::max(1.0, std::round(double(walk) / walk_cycle)),
           [&](double phase) { return walking(rig.skeleton, phase); });
  add_clip(timeline, stances, "look", options.frames - walk, 1,
           [&](double phase) { return looking(rig.skeleton, phase); });
  rig.motion = make_motion(rig.skeleton, std::move(timeline), stances);
  return rig;
}

Rig poses(const Options& options) {
  check_ranges(options);
  Rig rig = quadruped_at_rest(options.vertices);
  std::vector<Stance> stances;
  for (std::size_t t = 0; t < options.frames; ++t) stances.push_back(random_stance(random_stream(options.seed, t)));
  rig.motion = make_motion(rig.skeleton, Timeline::uniform(options.frames, frames_per_second, "poses"), stances);
  return rig;
}

}  // namespace marrow::synthetic
