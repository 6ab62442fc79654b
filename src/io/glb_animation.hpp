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
  std::vector<double> times;  // seconds; at least one, ascending
  std::vector<float> values;  // per key: the value; if cubic: in-tangent, value, out-tangent
};

struct Animation {
  std::string name;
  std::vector<Channel> channels;
  std::vector<double> frames;  // seconds at which it is sampled
};

/// All animations that move vertices, with unique names. `fps`: frames per second; 0 takes the file's own times.
std::vector<Animation> read_animations(const Document& document, const Scene& scene, double fps);

/// Sets the animation's values at `time` (seconds) in `pose`. Before the first and after the last key they are
/// constant.
void apply(const Animation& animation, double time, Pose& pose);

}  // namespace marrow::glb
