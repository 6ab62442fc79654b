#include "ddm_compression/pose_examples.hpp"

#include <Eigen/LU>
#include <cmath>

#include "core/eigen_affine.hpp"
#include "core/parallel.hpp"
#include "core/polar.hpp"

namespace marrow::ddm_compression {
namespace {

constexpr std::size_t points_per_task = 64;
constexpr Index rough_poses = 24;

}  // namespace

PoseSet::PoseSet(const DistinctPoints& points, const Motion& motion) : count_(motion.frames()), bones_(motion.bones) {
  for (std::size_t t = 0; t < count_; ++t) {
    const Affine from_root = inverse(motion.frame(t).front());
    for (const Affine& bone : motion.frame(t)) {
      const Affine seen = from_root * bone;
      Eigen::Matrix<double, 3, 4>& out = transforms_.emplace_back();
      out.leftCols<3>() = linear_part(seen);
      out.col(3) = (linear_part(seen) * points.middle + translation_part(seen) - points.middle) / points.size;
    }
  }
}

RowTransform evaluate(const PoseSet& poses, std::size_t pose, const Vector3& centre,
                      std::span<const MultiWeight> weights) {
  RowTransform out{Eigen::Matrix3d::Zero(), Vector3::Zero(), {}};
  for (const MultiWeight& w : weights) {
    const auto& m = poses.at(pose, w.bone);
    const Vector3 way = m.leftCols<3>() * centre + m.col(3) - centre;
    const Vector3 b = w.value.topRightCorner<3, 1>();
    out.blended += m.leftCols<3>() * w.value.topLeftCorner<3, 3>() + way * b.transpose();
    out.shift += m.leftCols<3>() * b + w.value(3, 3) * way;
  }
  out.rotation = nearest_rotation(out.blended);
  return out;
}

PoseExamples::PoseExamples(const DistinctPoints& points, const Motion& motion, const Run& run)
    : poses_(points, motion) {
  const double scale = 1 / std::sqrt(double(poses_.count()));
  Matrix targets(3 * to_index(poses_.count()), to_index(points.count()));
  parallel_for(run, "examples", points.count(), points_per_task, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vector3 arm = points.rest.col(to_index(i)).head<3>() - points.centres[i];
      for (std::size_t t = 0; t < poses_.count(); ++t) {
        const RowTransform row = evaluate(poses_, t, points.centres[i], points.row(i));
        targets.col(to_index(i)).segment<3>(3 * to_index(t)) =
            scale * (row.rotation * arm + points.centres[i] + row.shift);
      }
    }
  });
  set_targets(std::move(targets));
  rough_rows_ = std::min(rows(), 3 * rough_poses);
}

void PoseExamples::transform(const VirtualBone& bone, Eigen::Ref<Matrix> out) const {
  const double scale = 1 / std::sqrt(double(poses_.count()));
  for (std::size_t t = 0; t < poses_.count(); ++t) {
    const RowTransform row = evaluate(poses_, t, bone.centre, bone.weights);
    auto block = out.middleRows<3>(3 * to_index(t));
    block.leftCols<3>() = scale * row.rotation;
    block.col(3) = scale * (bone.centre + row.shift - row.rotation * bone.centre);
  }
}

}  // namespace marrow::ddm_compression
