#include <fmt/format.h>

#include "synthetic/body.hpp"
#include "synthetic/bone_weights.hpp"
#include "synthetic/quadruped.hpp"

namespace marrow::synthetic {
namespace {

using namespace quadruped_parts;

constexpr double blend = 0.016;

const std::array<Point, 8> trunk_places{Point(0, 0.74, -0.33), Point(0, 0.76, -0.15), Point(0, 0.76, 0.10),
                                        Point(0, 0.80, 0.34),  Point(0, 1.00, 0.51),  Point(0, 0.76, -0.43),
                                        Point(0, 0.71, -0.56), Point(0, 0.62, -0.67)};
const Point nose(0, 0.955, 0.79), tail_tip(0, 0.54, -0.77);

/// Hip, knee, hock and toe of the left leg, with radii.
struct LegPlan {
  std::array<Point, 4> places;
  std::array<double, 4> radii;
};
const LegPlan front_plan{
    {Point(0.085, 0.62, 0.28), Point(0.10, 0.45, 0.19), Point(0.095, 0.185, 0.215), Point(0.095, 0.03, 0.29)},
    {0.075, 0.05, 0.03, 0.034}};
const LegPlan hind_plan{
    {Point(0.08, 0.68, -0.32), Point(0.105, 0.46, -0.24), Point(0.10, 0.23, -0.415), Point(0.10, 0.03, -0.32)},
    {0.09, 0.055, 0.03, 0.034}};

Point mirrored(const Point& p, double side) {
  return {side * p.x(), p.y(), p.z()};
}

Skeleton quadruped_skeleton() {
  std::vector<Joint> joints{{"pelvis", -1, trunk_places[pelvis]},     {"spine", pelvis, trunk_places[spine]},
                            {"chest", spine, trunk_places[chest]},    {"neck", chest, trunk_places[neck]},
                            {"head", neck, trunk_places[head]},       {"tail_1", pelvis, trunk_places[tail_1]},
                            {"tail_2", tail_1, trunk_places[tail_2]}, {"tail_3", tail_2, trunk_places[tail_3]}};
  for (const Leg& leg : all_legs) {
    const LegPlan& plan = leg.front ? front_plan : hind_plan;
    const auto upper = int(leg.upper);
    joints.push_back({fmt::format("{}_upper", leg.name), int(leg.parent), mirrored(plan.places[0], leg.side)});
    joints.push_back({fmt::format("{}_lower", leg.name), upper, mirrored(plan.places[1], leg.side)});
    joints.push_back({fmt::format("{}_foot", leg.name), upper + 1, mirrored(plan.places[2], leg.side)});
  }
  return make_skeleton(joints);
}

/// Adds a left limb and its mirror image.
void add_pair(std::vector<Limb>& limbs, std::vector<Node> nodes) {
  limbs.push_back({nodes});
  for (Node& node : nodes) node.place.x() = -node.place.x();
  limbs.push_back({std::move(nodes)});
}

Body quadruped_body() {
  std::vector<Limb> limbs{
      // Trunk, from rump to breast.
      {{{{0, 0.73, -0.40}, 0.105},
        {{0, 0.735, -0.29}, 0.135},
        {{0, 0.745, -0.10}, 0.120},
        {{0, 0.715, 0.10}, 0.160},
        {{0, 0.695, 0.25}, 0.165},
        {{0, 0.72, 0.36}, 0.115}},
       1.2},
      // Neck.
      {{{{0, 0.76, 0.30}, 0.115}, {{0, 0.87, 0.41}, 0.092}, {{0, 1.00, 0.51}, 0.074}}},
      // Head: skull, cheeks, muzzle.
      {{{{0, 1.025, 0.515}, 0.080}, {{0, 1.02, 0.58}, 0.082}, {{0, 0.985, 0.67}, 0.052}, {{0, 0.962, 0.77}, 0.036}}},
      // Tail.
      {{{{0, 0.76, -0.40}, 0.050},
        {{0, 0.74, -0.50}, 0.036},
        {{0, 0.67, -0.62}, 0.034},
        {{0, 0.58, -0.72}, 0.030},
        {{0, 0.54, -0.77}, 0.018}}},
  };
  // Ears.
  add_pair(limbs, {{{0.048, 1.075, 0.530}, 0.030}, {{0.062, 1.125, 0.520}, 0.026}, {{0.074, 1.175, 0.512}, 0.014}});
  // Front legs: shoulder blade, elbow, wrist, paw.
  add_pair(limbs, {{{0.075, 0.70, 0.23}, 0.075},
                   {{0.092, 0.59, 0.265}, 0.075},
                   {{0.10, 0.46, 0.20}, 0.052},
                   {{0.098, 0.32, 0.205}, 0.037},
                   {{0.095, 0.185, 0.215}, 0.031},
                   {{0.095, 0.095, 0.225}, 0.028},
                   {{0.095, 0.042, 0.25}, 0.036},
                   {{0.095, 0.035, 0.30}, 0.031}});
  // Hind legs: thigh, knee, hock, paw.
  add_pair(limbs, {{{0.065, 0.70, -0.34}, 0.105},
                   {{0.095, 0.57, -0.29}, 0.088},
                   {{0.108, 0.46, -0.25}, 0.060},
                   {{0.105, 0.33, -0.34}, 0.039},
                   {{0.10, 0.23, -0.412}, 0.031},
                   {{0.10, 0.11, -0.40}, 0.027},
                   {{0.10, 0.042, -0.37}, 0.036},
                   {{0.10, 0.035, -0.318}, 0.031}});
  return Body(limbs, blend);
}

std::vector<BoneShape> quadruped_shapes() {
  std::vector<BoneShape> shapes{{Point(0, 0.735, -0.36), Point(0, 0.745, -0.15), 0.11, 0.12, 0.10},
                                {Point(0, 0.745, -0.15), Point(0, 0.72, 0.10), 0.12, 0.155, 0.10},
                                {Point(0, 0.72, 0.10), Point(0, 0.71, 0.33), 0.155, 0.13, 0.10},
                                {trunk_places[neck], trunk_places[head], 0.11, 0.075, 0.07},
                                {trunk_places[head], nose, 0.085, 0.036, 0.06},
                                {trunk_places[tail_1], trunk_places[tail_2], 0.04, 0.035, 0.05},
                                {trunk_places[tail_2], trunk_places[tail_3], 0.035, 0.033, 0.05},
                                {trunk_places[tail_3], tail_tip, 0.033, 0.018, 0.05}};
  for (std::size_t l = 0; l < all_legs.size(); ++l) {
    const LegPlan& plan = all_legs[l].front ? front_plan : hind_plan;
    for (std::size_t c = 0; c < 3; ++c) {
      shapes.push_back({mirrored(plan.places[c], all_legs[l].side), mirrored(plan.places[c + 1], all_legs[l].side),
                        plan.radii[c], plan.radii[c + 1], c == 0 ? 0.09 : 0.05, int(l) + 1});
    }
  }
  return shapes;
}

}  // namespace

Point toe_of(const Leg& leg) {
  return mirrored((leg.front ? front_plan : hind_plan).places[3], leg.side);
}

Rig quadruped_at_rest(std::size_t vertices) {
  Rig rig;
  rig.mesh = mesh_body(quadruped_body(), vertices);
  rig.skeleton = quadruped_skeleton();
  rig.weights = weights_by_distance(rig.mesh.positions, quadruped_shapes());
  return rig;
}

}  // namespace marrow::synthetic
