#pragma once

#include <array>
#include <string_view>

#include "synthetic/posing.hpp"

namespace marrow::synthetic {

/// A dog-like body, 1.6 units from nose to tail. y is up; it faces +z with its left at +x; the ground is y = 0.
namespace quadruped_parts {

/// Bones in order. From `legs` on, each leg has three: upper, lower, foot.
enum Bone : std::size_t { pelvis, spine, chest, neck, head, tail_1, tail_2, tail_3, legs };

struct Leg {
  std::string_view name;
  std::size_t upper;   ///< bone index; lower and foot follow
  std::size_t parent;  ///< pelvis or chest
  bool front;
  double side;      ///< 1: left, -1: right
  double footfall;  ///< phase of the walk cycle at which the foot comes down
};

inline constexpr std::size_t bone_count = legs + 12;
/// A four-beat walk: each hind foot comes down a quarter of a cycle before the front foot of its side.
inline constexpr std::array<Leg, 4> all_legs{{{"front_left", legs, chest, true, 1, 0.25},
                                              {"front_right", legs + 3, chest, true, -1, 0.75},
                                              {"hind_left", legs + 6, pelvis, false, 1, 0.0},
                                              {"hind_right", legs + 9, pelvis, false, -1, 0.5}}};

}  // namespace quadruped_parts

/// The tip of a foot at rest.
Point toe_of(const quadruped_parts::Leg& leg);

/// Mesh, skeleton and weights, without motion.
Rig quadruped_at_rest(std::size_t vertices);

/// Pose at `phase` in [0, 1) of a walk cycle in place.
Stance walking(const Skeleton& skeleton, double phase);
/// Pose at `phase` in [0, 1) of standing and looking around.
Stance looking(const Skeleton& skeleton, double phase);
/// A random pose within the limits of the joints.
Stance random_stance(Random random);

}  // namespace marrow::synthetic
