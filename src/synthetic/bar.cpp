#include <array>
#include <cmath>

#include "synthetic/bone_weights.hpp"
#include "synthetic/posing.hpp"
#include "synthetic/shapes.hpp"

namespace marrow::synthetic {
namespace {

constexpr double bar_length = 2, bar_radius = 0.2, soft = 0.3;

/// First half: the second bone bends about z and back. Second half: it twists about the bar and back.
Stance stance(double phase) {
  const auto there_and_back = [](double s) { return std::pow(std::sin(pi * s), 2); };
  Stance out(2);
  out.turns[1] = phase < 0.5 ? turn(90 * there_and_back(2 * phase), Point::UnitZ())
                             : turn(180 * there_and_back(2 * phase - 1), Point::UnitX());
  return out;
}

}  // namespace

Rig bar(const Options& options) {
  check_ranges(options);
  const Point start(0, 0, 0), middle(bar_length / 2, 0, 0), end(bar_length, 0, 0);
  const std::array<Joint, 2> joints{{{"lower", -1, start}, {"upper", 0, middle}}};
  const std::array<BoneShape, 2> shapes{
      {{start, middle, bar_radius, bar_radius, soft}, {middle, end, bar_radius, bar_radius, soft}}};

  Rig rig;
  rig.mesh = capped_tube(options.vertices, bar_length, bar_radius);
  rig.skeleton = make_skeleton(joints);
  rig.weights = weights_by_distance(rig.mesh.positions, shapes);
  std::vector<Stance> stances;
  for (std::size_t t = 0; t < options.frames; ++t) {
    stances.push_back(stance(double(t) / double(options.frames)));
  }
  rig.motion =
      make_motion(rig.skeleton, Timeline::uniform(options.frames, frames_per_second, "bend_and_twist"), stances);
  return rig;
}

}  // namespace marrow::synthetic
