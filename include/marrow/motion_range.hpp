#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "marrow/rig.hpp"

namespace marrow {

/// How far a joint turns from its rest pose: the components of its rotation vector (axis times angle, degrees) in the
/// joint's own frame, axis by axis. An axis with low = high = 0 is locked: a hinge has one free axis.
struct JointRange {
  std::array<double, 3> low{};   ///< -180 to 0
  std::array<double, 3> high{};  ///< 0 to 180
  bool operator==(const JointRange&) const = default;

  /// The same angle about every axis.
  static JointRange even(double degrees) { return {{-degrees, -degrees, -degrees}, {degrees, degrees, degrees}}; }
};

/// One range per bone of a skeleton.
struct RangesOfMotion {
  std::vector<JointRange> joints;
  bool operator==(const RangesOfMotion&) const = default;
};

/// Throws Error{bad_input} naming the joint unless there is one range per bone and each is as JointRange says.
void validate(const RangesOfMotion& ranges, const Skeleton& skeleton);

/// 30 degrees for roots, hips and spine (by name), 120 for everything else.
RangesOfMotion default_ranges(const Skeleton& skeleton);

/// What the joints do in a motion, and no more.
RangesOfMotion ranges_of(const Skeleton& skeleton, const Motion& motion);

/// A JSON object from joint names to a number (degrees about every axis) or to {"x": [low, high], "y": ..., "z": ...}
/// with missing axes locked; "default" stands for joints that are not named, else default_ranges() does. Throws
/// Error{bad_file} naming the place for anything else, and for names that no bone has.
RangesOfMotion read_ranges(const std::filesystem::path& file, const Skeleton& skeleton);
std::string to_json(const RangesOfMotion& ranges, const Skeleton& skeleton);

/// `count` unrelated poses, one per frame: every joint turns by itself about its own place, in a direction that is
/// uniform on the sphere (on that part of it where axes are locked or free to one side only) and by a share of the
/// range in that direction that is uniform in [0, 1]. The same seed gives the same poses.
Motion sample_poses(const Skeleton& skeleton, const RangesOfMotion& ranges, std::size_t count, std::uint64_t seed = 1);

}  // namespace marrow
