#include <array>
#include <cmath>

#include "synthetic/body.hpp"
#include "synthetic/bone_weights.hpp"
#include "synthetic/posing.hpp"

namespace marrow::synthetic {
namespace {

enum Bone : std::size_t { shoulder, upper_arm, forearm, hand, finger, thumb };

const std::array<Point, 6> joint_places{Point(0, 0, 0),    Point(0.22, 0, 0),          Point(0.80, -0.03, 0),
                                        Point(1.34, 0, 0), Point(1.54, 0.005, -0.055), Point(1.50, 0.0, 0.075)};
const Point finger_tip(1.80, 0.0, -0.075), thumb_tip(1.66, 0.0, 0.17);

Skeleton arm_skeleton() {
  const std::array<Joint, 6> joints{{{"shoulder", -1, joint_places[shoulder]},
                                     {"upper_arm", shoulder, joint_places[upper_arm]},
                                     {"forearm", upper_arm, joint_places[forearm]},
                                     {"hand", forearm, joint_places[hand]},
                                     {"finger", hand, joint_places[finger]},
                                     {"thumb", hand, joint_places[thumb]}}};
  return make_skeleton(joints);
}

Body arm_body() {
  const std::vector<Limb> limbs{
      {{{{-0.02, 0, 0}, 0.17},
        {{0.20, 0.01, 0}, 0.165},
        {{0.46, 0.0, 0}, 0.125},
        {{0.80, -0.03, 0}, 0.095},
        {{1.00, -0.02, 0}, 0.105},
        {{1.34, 0, 0}, 0.06},
        {{1.47, 0, 0.01}, 0.075},
        {{1.54, 0.0, 0.0}, 0.065}}},
      {{{{1.50, 0.005, -0.05}, 0.05}, {{1.64, 0.005, -0.065}, 0.045}, {{1.80, 0.0, -0.075}, 0.034}}},
      {{{{1.44, 0, 0.045}, 0.045}, {{1.54, 0.0, 0.105}, 0.042}, {{1.66, 0.0, 0.17}, 0.032}}}};
  return Body(limbs, 0.015);
}

std::array<BoneShape, 6> arm_shapes() {
  return {{{joint_places[shoulder] - Point(0.1, 0, 0), joint_places[upper_arm], 0.165, 0.16, 0.11},
           {joint_places[upper_arm], joint_places[forearm], 0.16, 0.095, 0.11},
           {joint_places[forearm], joint_places[hand], 0.10, 0.06, 0.08},
           {joint_places[hand], Point(1.50, 0, 0), 0.06, 0.075, 0.05},
           {joint_places[finger], finger_tip, 0.05, 0.034, 0.04, 1},
           {joint_places[thumb], thumb_tip, 0.045, 0.032, 0.04, 2}}};
}

/// Raises the arm, reaches across and closes the fingers; phase 1 equals phase 0.
Stance reach(double phase) {
  const auto wave = [&](double cycles, double lag = 0) { return std::sin(2 * pi * (cycles * phase - lag)); };
  const auto raise = [&](double lag = 0) { return 0.5 - 0.5 * std::cos(2 * pi * (phase - lag)); };
  const Point x = Point::UnitX(), y = Point::UnitY(), z = Point::UnitZ();
  Stance out(6);
  out.shift = {0, 0.02 * wave(1), 0};
  out.turns[shoulder] = turn(8 * raise(), z) * turn(6 * wave(1), y);
  out.turns[upper_arm] = turn(45 * raise() - 15, z) * turn(25 * wave(1), y) * turn(20 * wave(1, 0.1), x);
  out.turns[forearm] = turn(85 * raise(0.12), z) * turn(15 * wave(1, 0.2), x);
  out.turns[hand] = turn(30 * wave(2, 0.1), z) * turn(15 * wave(1, 0.3), y);
  out.turns[finger] = turn(50 * raise(0.3), z) * turn(8 * wave(2), y);
  out.turns[thumb] = turn(25 * raise(0.35), y) * turn(20 * raise(0.25), z);
  return out;
}

}  // namespace

Rig arm(const Options& options) {
  check_ranges(options);
  Rig rig;
  rig.mesh = mesh_body(arm_body(), options.vertices);
  rig.skeleton = arm_skeleton();
  rig.weights = weights_by_distance(rig.mesh.positions, arm_shapes());
  std::vector<Stance> stances;
  for (std::size_t t = 0; t < options.frames; ++t) {
    stances.push_back(reach(double(t) / double(options.frames)));
  }
  rig.motion = make_motion(rig.skeleton, Timeline::uniform(options.frames, frames_per_second, "reach"), stances);
  return rig;
}

}  // namespace marrow::synthetic
