#include "lbs/bones.hpp"

#include "core/eigen_affine.hpp"
#include "core/polar.hpp"
#include "lbs/matrices.hpp"

namespace marrow::lbs {

Bones identity_bones(std::size_t frames, std::size_t count) {
  Bones bones = Bones::Zero(Eigen::Index(3 * frames), Eigen::Index(4 * count));
  for (Eigen::Index t = 0; t < Eigen::Index(frames); ++t) {
    for (Eigen::Index j = 0; j < Eigen::Index(count); ++j) bones.block<3, 3>(3 * t, 4 * j).setIdentity();
  }
  return bones;
}

std::vector<Eigen::Matrix3d> bind_axes(const Skeleton& skeleton) {
  std::vector<Eigen::Matrix3d> axes;
  for (const Affine& bind : skeleton.bind) {
    axes.push_back(nearest_rotation(linear_part(bind), Eigen::Matrix3d::Identity()));
  }
  return axes;
}

Bones to_bones(const Space& space, const Motion& motion) {
  Bones bones(Eigen::Index(3 * motion.frames()), Eigen::Index(4 * motion.bones));
  for (std::size_t t = 0; t < motion.frames(); ++t) {
    const Eigen::Vector3d centre = space.frame_centres.row(Eigen::Index(t));
    for (std::size_t j = 0; j < motion.bones; ++j) {
      const Affine& from = motion.frame(t)[j];
      Matrix34 m;
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 4; ++c) m(Eigen::Index(r), Eigen::Index(c)) = from(r, c);
      }
      m.col(3) = ((m.col(3) - centre + m.leftCols<3>() * space.rest_centre) / space.radius).eval();
      bones.block<3, 4>(Eigen::Index(3 * t), Eigen::Index(4 * j)) = m;
    }
  }
  return bones;
}

Motion to_motion(const Space& space, const Timeline& timeline, const Bones& bones) {
  Motion motion{timeline, bone_count(bones), std::vector<Affine>(bone_count(bones) * timeline.frames())};
  for (std::size_t t = 0; t < timeline.frames(); ++t) {
    const Eigen::Vector3d centre = space.frame_centres.row(Eigen::Index(t));
    for (std::size_t j = 0; j < motion.bones; ++j) {
      const auto m = bones.block<3, 4>(Eigen::Index(3 * t), Eigen::Index(4 * j));
      const Eigen::Matrix3d linear = m.leftCols<3>();
      const Eigen::Vector3d shift = space.radius * m.col(3) + centre - linear * space.rest_centre;
      Affine& out = motion.frame(t)[j];
      for (std::size_t r = 0; r < 3; ++r) {
        const auto k = Eigen::Index(r);
        for (std::size_t c = 0; c < 3; ++c) out(r, c) = linear(k, Eigen::Index(c));
        out(r, 3) = shift[k];
      }
    }
  }
  return motion;
}

}  // namespace marrow::lbs
