#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

#include "core/check.hpp"
#include "core/eigen_affine.hpp"
#include "core/polar.hpp"
#include "marrow/motion_range.hpp"
#include "pose/joint_frames.hpp"

namespace marrow {
namespace {

constexpr double degrees = 180 / std::numbers::pi;
/// Default ranges in degrees, of the trunk and of all other joints.
constexpr double stiff = 30, supple = 120;

bool is_trunk(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return std::ranges::any_of(std::array{"hips", "pelvis", "spine", "chest", "torso"},
                             [&](const char* part) { return name.find(part) != std::string::npos; });
}

}  // namespace

std::vector<Eigen::Isometry3d> joint_frames(const Skeleton& skeleton) {
  std::vector<Eigen::Isometry3d> frames;
  for (const Affine& bind : skeleton.bind) {
    Eigen::Isometry3d frame = Eigen::Isometry3d::Identity();
    frame.linear() = nearest_rotation(linear_part(bind));
    frame.translation() = translation_part(bind);
    frames.push_back(frame);
  }
  return frames;
}

void validate(const RangesOfMotion& ranges, const Skeleton& skeleton) {
  constexpr const char* where = "RangesOfMotion";
  require(ranges.joints.size() == skeleton.bones(), where, [&] {
    return fmt::format("{} ranges, but the skeleton has {} bones", ranges.joints.size(), skeleton.bones());
  });
  for (std::size_t j = 0; j < ranges.joints.size(); ++j) {
    for (std::size_t a = 0; a < 3; ++a) {
      const double low = ranges.joints[j].low[a], high = ranges.joints[j].high[a];
      require(low >= -180 && low <= 0 && high >= 0 && high <= 180, where, [&] {
        return fmt::format("{} of \"{}\" goes from {} to {} degrees; give -180 to 0 and 0 to 180", "xyz"[a],
                           skeleton.names[j], low, high);
      });
    }
  }
}

RangesOfMotion default_ranges(const Skeleton& skeleton) {
  RangesOfMotion ranges;
  for (std::size_t j = 0; j < skeleton.bones(); ++j) {
    const bool trunk = skeleton.parents[j] < 0 || is_trunk(skeleton.names[j]);
    ranges.joints.push_back(JointRange::even(trunk ? stiff : supple));
  }
  return ranges;
}

RangesOfMotion ranges_of(const Skeleton& skeleton, const Motion& motion) {
  validate(skeleton);
  validate(motion);
  require(motion.bones == skeleton.bones(), "ranges_of",
          [&] { return fmt::format("the motion has {} bones, but the skeleton {}", motion.bones, skeleton.bones()); });
  const std::vector<Eigen::Isometry3d> frames = joint_frames(skeleton);
  RangesOfMotion ranges;
  ranges.joints.resize(skeleton.bones());
  for (std::size_t t = 0; t < motion.frames(); ++t) {
    for (std::size_t j = 0; j < skeleton.bones(); ++j) {
      const std::int32_t parent = skeleton.parents[j];
      const Eigen::Matrix3d turned = nearest_rotation(linear_part(motion.frame(t)[j]));
      const Eigen::Matrix3d carried = parent < 0 ? Eigen::Matrix3d(Eigen::Matrix3d::Identity())
                                                 : nearest_rotation(linear_part(motion.frame(t)[std::size_t(parent)]));
      const Eigen::Matrix3d& own = frames[j].linear();
      const Eigen::AngleAxisd turn(own.transpose() * carried.transpose() * turned * own);
      for (std::size_t a = 0; a < 3; ++a) {
        const double angle = std::clamp(degrees * turn.angle() * turn.axis()[int(a)], -180.0, 180.0);
        ranges.joints[j].low[a] = std::min(ranges.joints[j].low[a], angle);
        ranges.joints[j].high[a] = std::max(ranges.joints[j].high[a], angle);
      }
    }
  }
  return ranges;
}

}  // namespace marrow
