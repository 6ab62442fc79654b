#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/glb_scene.hpp"

namespace marrow::glb {

enum class Path { translation, rotation, scale, weights };
enum class Interpolation { step, linear, cubic };

/// The keys of one property of one node.
struct Channel {
  std::size_t node = 0;
  Path path = Path::translation;
  Interpolation interpolation = Interpolation::linear;
  std::size_t width = 0;      // numbers per value
  std::vector<double> times;  // one or more, ascending
  std::vector<float> values;  // per key: a value; cubic: in-tangent, value, out-tangent
};

struct Animation {
  std::string name;
  std::vector<Channel> channels;
  std::vector<double> frames;  // when to sample it
};

/// All animations that move something, with unique names. `fps`: 0 for the file's own times.
std::vector<Animation> read_animations(const Document& document, const Scene& scene, double fps);

/// Puts the animation's values at `time` into `pose`. Before the first and after the last key the value stays.
void apply(const Animation& animation, double time, Pose& pose);

}  // namespace marrow::glb
