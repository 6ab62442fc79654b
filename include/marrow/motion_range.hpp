#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "marrow/rig.hpp"

namespace marrow {

/// Range of a joint: components of its rotation vector (axis times angle, degrees) from the rest pose, in the joint's
/// own frame, per axis. low = high = 0 locks an axis; a hinge has one free axis.
struct JointRange {
  std::array<double, 3> low{};   ///< -180 to 0
  std::array<double, 3> high{};  ///< 0 to 180
  bool operator==(const JointRange&) const = default;

  /// -degrees to degrees about every axis.
  static JointRange even(double degrees) { return {{-degrees, -degrees, -degrees}, {degrees, degrees, degrees}}; }
};

/// One range per bone of a skeleton.
struct RangesOfMotion {
  std::vector<JointRange> joints;
  bool operator==(const RangesOfMotion&) const = default;
};

/// Throws Error{bad_input} naming the joint unless there is one valid range per bone.
void validate(const RangesOfMotion& ranges, const Skeleton& skeleton);

/// 30 degrees for roots, hips and spine (by name), 120 degrees for all others.
RangesOfMotion default_ranges(const Skeleton& skeleton);

/// The smallest ranges that contain a motion.
RangesOfMotion ranges_of(const Skeleton& skeleton, const Motion& motion);

/// Reads a JSON object from joint names to a number (degrees about every axis) or to {"x": [low, high], "y": ..., "z":
/// ...} with missing axes locked. "default" applies to joints that are not named; without it, default_ranges(). Throws
/// Error{bad_file} with the place, also for unknown names.
RangesOfMotion read_ranges(const std::filesystem::path& file, const Skeleton& skeleton);
std::string to_json(const RangesOfMotion& ranges, const Skeleton& skeleton);

/// `count` independent poses, one per frame. Every joint rotates about its own position in a uniformly random direction
/// (within the free axes and sides), by a uniformly random share of the range in that direction. The same seed gives
/// the same poses.
Motion sample_poses(const Skeleton& skeleton, const RangesOfMotion& ranges, std::size_t count, std::uint64_t seed = 1);

}  // namespace marrow
