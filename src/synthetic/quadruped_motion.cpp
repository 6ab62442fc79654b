#include <algorithm>
#include <cmath>

#include "synthetic/quadruped.hpp"

namespace marrow::synthetic {
namespace {

using namespace quadruped_parts;

const Point x_axis = Point::UnitX(), y_axis = Point::UnitY(), z_axis = Point::UnitZ();

constexpr double stance_share = 0.62;  // share of the cycle with the foot on the ground
constexpr double stride = 0.30;

double wave(double phase, double lag = 0) {
  return std::sin(2 * pi * (phase - lag));
}

Point joint(const Skeleton& skeleton, std::size_t bone) {
  return {skeleton.bind[bone](0, 3), skeleton.bind[bone](1, 3), skeleton.bind[bone](2, 3)};
}

/// Angle in the plane x = 0, from y towards z, as rotations about x count.
double angle(const Point& p) {
  return std::atan2(p.z(), p.y());
}

Point in_plane(const Point& p) {
  return {0, p.y(), p.z()};
}

/// Position of a foot relative to its rest position.
struct Step {
  double forward, up;
  double pitch;  // degrees; positive lifts the heel
};

/// Smooth interpolation of keys (time, value).
double keyed(std::span<const std::array<double, 2>> keys, double time) {
  std::size_t e = 0;
  while (e + 2 < keys.size() && keys[e + 1][0] <= time) ++e;
  return std::lerp(keys[e][1], keys[e + 1][1], smooth_step((time - keys[e][0]) / (keys[e + 1][0] - keys[e][0])));
}

/// `time` in [0, 1) since the foot came down. On the ground the foot moves back at constant speed; in the air it
/// returns on a cubic that leaves and meets the ground at that speed.
Step step(double time, bool front) {
  constexpr double air = 1 - stance_share;
  const std::array<std::array<double, 2>, 6> pitch{{{0, 0},
                                                    {0.6 * stance_share, 0},
                                                    {stance_share, 26},
                                                    {stance_share + 0.35 * air, front ? 44.0 : 38.0},
                                                    {stance_share + 0.85 * air, -6},
                                                    {1, 0}}};
  Step out{0, 0, keyed(pitch, time)};
  if (time < stance_share) {
    out.forward = stride * (0.5 - time / stance_share);
    return out;
  }
  const double s = (time - stance_share) / air, speed = -stride * air / stance_share;
  const double h = s * s * (3 - 2 * s);
  out.forward = stride * (h - 0.5) + speed * s * (1 - s) * (1 - 2 * s);
  out.up = (front ? 0.075 : 0.065) * std::pow(std::sin(pi * s), 2);
  return out;
}

/// Solves the leg so that its toe reaches `step`. The pitch of the foot determines the hock; two bones reach it in the
/// parent's plane x = 0 (law of cosines), with the knee on its side at rest.
void place_foot(const Skeleton& skeleton, std::span<const Affine> transforms, const Leg& leg, const Step& step,
                Stance& stance) {
  const Point hip = joint(skeleton, leg.upper), knee = joint(skeleton, leg.upper + 1);
  const Point hock = joint(skeleton, leg.upper + 2), toe = toe_of(leg);
  const Point target =
      toe + Point(0, step.up, step.forward) + Eigen::AngleAxisd(radians(step.pitch), x_axis) * (hock - toe);
  const auto local =
      transform(inverse(transforms[leg.parent]), std::array<double, 3>{target.x(), target.y(), target.z()});
  const Point reach = in_plane(Point(local[0], local[1], local[2]) - hip);

  const Point thigh = in_plane(knee - hip), shin = in_plane(hock - knee);
  const double a = thigh.norm(), b = shin.norm();
  const double distance = std::clamp(reach.norm(), std::abs(a - b) * 1.01, (a + b) * 0.999);
  const double at_hip = std::acos(std::clamp((a * a + distance * distance - b * b) / (2 * a * distance), -1.0, 1.0));
  const double knee_side = x_axis.dot(in_plane(hock - hip).cross(thigh)) > 0 ? 1 : -1;
  const double thigh_angle = angle(reach) + knee_side * at_hip;
  const Point new_knee = a * Point(0, std::cos(thigh_angle), std::sin(thigh_angle));
  const Point new_shin = reach.normalized() * distance - new_knee;

  const double upper = thigh_angle - angle(thigh), lower = angle(new_shin) - angle(shin);
  stance.turns[leg.upper] = Eigen::AngleAxisd(upper, x_axis);
  stance.turns[leg.upper + 1] = Eigen::AngleAxisd(lower - upper, x_axis);
  stance.turns[leg.upper + 2] = Eigen::AngleAxisd(radians(step.pitch) - lower, x_axis);
}

/// Adds the legs to a stance of the trunk; feet(leg) gives the step.
template <class Feet>
void add_legs(const Skeleton& skeleton, Stance& stance, Feet feet) {
  std::vector<Affine> trunk(skeleton.bones());
  pose(skeleton, stance, trunk);
  for (const Leg& leg : all_legs) place_foot(skeleton, trunk, leg, feet(leg), stance);
}

}  // namespace

Stance walking(const Skeleton& skeleton, double phase) {
  Stance out(bone_count);
  out.shift = {0.012 * wave(phase, 0.1), -0.012 + 0.010 * wave(2 * phase, 0.1), 0.008 * wave(2 * phase, 0.3)};
  out.turns[pelvis] = turn(5 * wave(phase, -0.20), y_axis) * turn(3.5 * wave(phase, 0.05), z_axis) *
                      turn(1.5 * wave(2 * phase), x_axis);
  out.turns[spine] = turn(-5 * wave(phase, -0.15), y_axis) * turn(-2.5 * wave(phase, 0.05), z_axis);
  out.turns[chest] = turn(-4 * wave(phase, -0.10), y_axis) * turn(-3 * wave(phase, 0.1), z_axis) *
                     turn(1.5 * wave(2 * phase, 0.25), x_axis);
  out.turns[neck] = turn(3 + 5 * wave(2 * phase, 0.20), x_axis) * turn(3 * wave(phase), y_axis);
  out.turns[head] = turn(1 - 6 * wave(2 * phase, 0.30), x_axis) * turn(2 * wave(phase, 0.1), z_axis);
  out.turns[tail_1] = turn(-8 + 4 * wave(2 * phase), x_axis) * turn(12 * wave(phase, 0.05), y_axis);
  out.turns[tail_2] = turn(-4 + 4 * wave(2 * phase, 0.1), x_axis) * turn(14 * wave(phase, 0.20), y_axis);
  out.turns[tail_3] = turn(5 * wave(2 * phase, 0.2), x_axis) * turn(16 * wave(phase, 0.35), y_axis);
  add_legs(skeleton, out, [&](const Leg& leg) {
    const double time = phase - leg.footfall;
    return step(time - std::floor(time), leg.front);
  });
  return out;
}

Stance looking(const Skeleton& skeleton, double phase) {
  Stance out(bone_count);
  const double side = wave(phase), later = wave(phase, 0.06);
  const double up = 0.5 - 0.5 * std::cos(4 * pi * phase);
  out.shift = {0.015 * side, -0.008 + 0.004 * wave(3 * phase), 0.006 * later};
  out.turns[pelvis] = turn(2 * side, z_axis) * turn(-2 * side, y_axis);
  out.turns[spine] = turn(3 * side, y_axis) * turn(0.8 * wave(3 * phase), x_axis);
  out.turns[chest] = turn(6 * side, y_axis) * turn(-2 * side, z_axis);
  out.turns[neck] = turn(28 * side, y_axis) * turn(-8 * up, x_axis);
  out.turns[head] = turn(24 * later, y_axis) * turn(6 - 10 * up, x_axis) * turn(8 * later, z_axis);
  out.turns[tail_1] = turn(22 * up, x_axis) * turn(16 * wave(4 * phase), y_axis);
  out.turns[tail_2] = turn(16 * up, x_axis) * turn(20 * wave(4 * phase, 0.1), y_axis);
  out.turns[tail_3] = turn(12 * up, x_axis) * turn(22 * wave(4 * phase, 0.2), y_axis);
  add_legs(skeleton, out, [](const Leg&) { return Step{0, 0, 0}; });
  return out;
}

Stance random_stance(Random random) {
  Stance out(bone_count);
  const auto bend = [&](double pitch, double yaw, double roll) -> Eigen::Quaterniond {
    const double p = random.uniform(-pitch, pitch), y = random.uniform(-yaw, yaw), r = random.uniform(-roll, roll);
    return turn(y, y_axis) * turn(p, x_axis) * turn(r, z_axis);
  };
  const auto hinge = [&](double low, double high) { return turn(random.uniform(low, high), x_axis); };
  out.shift = {random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1)};
  out.turns[pelvis] = bend(20, 40, 15);
  out.turns[spine] = bend(12, 15, 8);
  out.turns[chest] = bend(12, 15, 8);
  out.turns[neck] = bend(25, 30, 10);
  out.turns[head] = bend(20, 30, 20);
  for (const std::size_t bone : {tail_1, tail_2, tail_3}) out.turns[bone] = bend(30, 35, 0);
  for (const Leg& leg : all_legs) {
    out.turns[leg.upper] = bend(35, 8, 8);
    out.turns[leg.upper + 1] = leg.front ? hinge(-70, 15) : hinge(-20, 50);
    out.turns[leg.upper + 2] = leg.front ? hinge(-10, 70) : hinge(-50, 30);
  }
  return out;
}

}  // namespace marrow::synthetic
