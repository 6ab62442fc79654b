#pragma once

#include <array>
#include <string_view>

#include "synthetic/posing.hpp"

namespace marrow::synthetic {

/// A dog-like body, 1.6 long from nose to tail. Y is up, it looks along +z, its left is +x; the ground is y = 0.
namespace quadruped_parts {

/// Bones in order; each leg has three from `legs` on: upper, lower, foot.
enum Bone : std::size_t { pelvis, spine, chest, neck, head, tail_1, tail_2, tail_3, legs };

struct Leg {
  std::string_view name;
  std::size_t upper;   ///< bone index; lower and foot follow
  std::size_t parent;  ///< pelvis or chest
  bool front;
  double side;      ///< 1: left, -1: right
  double footfall;  ///< when in the walk cycle the foot comes down
};

inline constexpr std::size_t bone_count = legs + 12;
/// A walk in four beats, each hind foot a quarter of a cycle before the front foot of its side.
inline constexpr std::array<Leg, 4> all_legs{{{"front_left", legs, chest, true, 1, 0.25},
                                              {"front_right", legs + 3, chest, true, -1, 0.75},
                                              {"hind_left", legs + 6, pelvis, false, 1, 0.0},
                                              {"hind_right", legs + 9, pelvis, false, -1, 0.5}}};

}  // namespace quadruped_parts

/// The tip of a leg's foot at rest.
Point toe_of(const quadruped_parts::Leg& leg);

/// Mesh, skeleton and weights; no motion yet.
Rig quadruped_at_rest(std::size_t vertices);

/// Frame `phase` of 0 to 1 of a walk cycle on the spot.
Stance walking(const Skeleton& skeleton, double phase);
/// The same for standing and looking around.
Stance looking(const Skeleton& skeleton, double phase);
/// Any pose within what the joints allow.
Stance random_stance(Random random);

}  // namespace marrow::synthetic
