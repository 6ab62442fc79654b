#include "synthetic/posing.hpp"

#include <utility>

namespace marrow::synthetic {
namespace {

Point joint_place(const Skeleton& skeleton, std::size_t bone) {
  return {skeleton.bind[bone](0, 3), skeleton.bind[bone](1, 3), skeleton.bind[bone](2, 3)};
}

}  // namespace

Eigen::Quaterniond turn(double degrees, const Point& axis) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(radians(degrees), axis));
}

Affine rigid(const Eigen::Quaterniond& turn, const Point& joint, const Point& place) {
  const Eigen::Matrix3d rotation = turn.normalized().toRotationMatrix();
  const Point translation = place - rotation * joint;
  Affine a;
  for (std::size_t r = 0; r < 3; ++r) {
    const auto row = Eigen::Index(r);
    for (std::size_t c = 0; c < 3; ++c) a(r, c) = rotation(row, Eigen::Index(c));
    a(r, 3) = translation[row];
  }
  return a;
}

Skeleton make_skeleton(std::span<const Joint> joints) {
  Skeleton skeleton;
  for (const Joint& joint : joints) {
    skeleton.names.push_back(joint.name);
    skeleton.parents.push_back(joint.parent);
    skeleton.bind.push_back(Affine::translation(joint.place.x(), joint.place.y(), joint.place.z()));
  }
  return skeleton;
}

void pose(const Skeleton& skeleton, const Stance& stance, std::span<Affine> transforms) {
  std::vector<Eigen::Quaterniond> turns(skeleton.bones());
  for (std::size_t j = 0; j < skeleton.bones(); ++j) {
    const Point rest = joint_place(skeleton, j);
    Point place = rest + stance.shift;
    turns[j] = stance.turns[j].normalized();
    if (skeleton.parents[j] >= 0) {
      const auto parent = std::size_t(skeleton.parents[j]);
      turns[j] = (turns[parent] * stance.turns[j]).normalized();
      const auto moved = transform(transforms[parent], std::array<double, 3>{rest.x(), rest.y(), rest.z()});
      place = {moved[0], moved[1], moved[2]};
    }
    transforms[j] = rigid(turns[j], rest, place);
  }
}

Motion make_motion(const Skeleton& skeleton, Timeline timeline, std::span<const Stance> stances) {
  Motion motion{std::move(timeline), skeleton.bones(), {}};
  motion.transforms.resize(stances.size() * skeleton.bones());
  for (std::size_t t = 0; t < stances.size(); ++t) pose(skeleton, stances[t], motion.frame(t));
  return motion;
}

}  // namespace marrow::synthetic
