// The paper's continuous examples: Eq. 3 to 11, with the corrections that docs/results/ddm_compression.md lists.
#include "ddm_compression/continuous.hpp"

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "core/eigen_affine.hpp"
#include "core/factor.hpp"
#include "core/parallel.hpp"
#include "ddm_compression/pose_examples.hpp"
#include "pose/joint_frames.hpp"

namespace marrow::ddm_compression {
namespace {

constexpr std::size_t vertices_per_task = 64;

/// Means of cosine and sine of an angle that is uniform in [low, high].
std::pair<double, double> mean_turn(double low, double high) {
  const double width = high - low;
  if (!(width > 1e-9)) return {std::cos(low), std::sin(low)};
  return {(std::sin(high) - std::sin(low)) / width, (std::cos(low) - std::cos(high)) / width};
}

Eigen::Matrix3d mean_rotation(const JointRange& range) {
  Eigen::Matrix3d mean = Eigen::Matrix3d::Identity();
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = std::size_t(axis);
    const auto [c, s] = mean_turn(range.low[a] * std::numbers::pi / 180, range.high[a] * std::numbers::pi / 180);
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
    turn(u, u) = turn(v, v) = c;
    turn(u, v) = -s;
    turn(v, u) = s;
    mean = mean * turn;
  }
  return mean;
}

/// The symmetric square root S_g of the second moment.
Matrix4 root_of(const Matrix4& square) {
  const Spectrum eigen = spectrum(square);
  return eigen.vectors * eigen.values.cwiseMax(0).cwiseSqrt().asDiagonal() * eigen.vectors.transpose();
}

/// S_g B_g^-1, in the coordinates of DistinctPoints.
std::vector<Matrix4> joint_maps(const DistinctPoints& points, const Skeleton& skeleton, const RangesOfMotion& ranges,
                                const ContinuousExamples& options) {
  const std::vector<Eigen::Isometry3d> frames = joint_frames(skeleton);
  std::vector<Matrix4> maps;
  for (std::size_t g = 0; g < skeleton.bones(); ++g) {
    Matrix4 from_bind = Matrix4::Identity();
    from_bind.topLeftCorner<3, 3>() = frames[g].linear().transpose();
    // Without the change of coordinates joints turn about the origin, which here is the middle of the mesh.
    if (options.bind_pose) {
      from_bind.topRightCorner<3, 1>() =
          -frames[g].linear().transpose() * ((frames[g].translation() - points.middle) / points.size);
    }
    maps.emplace_back(root_of(second_moment(ranges.joints[g], options.translation)) * from_bind);
  }
  return maps;
}

}  // namespace

Matrix4 second_moment(const JointRange& range, double translation) {
  const Eigen::Matrix3d mean = mean_rotation(range);
  Matrix4 square = Matrix4::Zero();
  square.topLeftCorner<3, 3>() = 2 * Eigen::Matrix3d::Identity() - mean - mean.transpose();
  // Three axes with E[t^2] = range^2 / 3 each; rotation and translation are independent, and E[t] = 0.
  square(3, 3) = translation * translation;
  return square;
}

std::vector<MultiWeight> linearise(const Vector3& centre, std::span<const MultiWeight> weights) {
  Matrix4 sum = Matrix4::Zero(), to_centre = Matrix4::Identity(), from_centre = Matrix4::Identity();
  for (const MultiWeight& w : weights) sum += w.value;
  to_centre.topRightCorner<3, 1>() = -centre;
  from_centre.topRightCorner<3, 1>() = centre;
  // Delta = C D C^T and its sum = C S C^T, so Delta' = C D S^-1 C^-1.
  const Matrix4 right = sum.inverse() * to_centre;
  std::vector<MultiWeight> out;
  for (const MultiWeight& w : weights) out.push_back({w.bone, from_centre * w.value * right});
  return out;
}

LinearExamples::LinearExamples(const DistinctPoints& points, const Skeleton& skeleton, const RangesOfMotion& ranges,
                               const ContinuousExamples& options, const Run& run) {
  const std::size_t m = skeleton.bones();
  const bool with_poses = options.poses && options.poses->frames() > 0;
  // The fourth row of a joint speaks of translations.
  const Index per_joint = options.translation > 0 ? 4 : 3;
  const Index continuous = per_joint * to_index(m), discrete = with_poses ? 3 * to_index(options.poses->frames()) : 0;
  maps_.assign(m, Matrix::Zero(continuous + discrete, 4));
  const std::vector<Matrix4> joints = joint_maps(points, skeleton, ranges, options);
  const double share = with_poses ? options.poses_share : 0;
  for (std::size_t j = 0; j < m; ++j) {
    // Eq. 6: bone j goes along with itself and all joints above it.
    for (auto g = std::int32_t(j); g >= 0; g = skeleton.parents[std::size_t(g)]) {
      maps_[j].middleRows(per_joint * g, per_joint) =
          std::sqrt((1 - share) / double(m)) * joints[std::size_t(g)].topRows(per_joint);
      if (!options.hierarchy) break;
    }
  }
  if (with_poses) {
    const PoseSet poses(points, *options.poses);
    const double scale = std::sqrt(share / double(poses.count()));
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t t = 0; t < poses.count(); ++t) {
        maps_[j].middleRows<3>(continuous + 3 * to_index(t)) = scale * poses.at(t, std::uint32_t(j));
      }
    }
  }
  Matrix targets = Matrix::Zero(continuous + discrete, to_index(points.count()));
  parallel_for(run, "examples", points.count(), vertices_per_task, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (const MultiWeight& w : linearise(points.centres[i], points.row(i))) {
        targets.col(to_index(i)).noalias() += maps_[w.bone] * (w.value * points.rest.col(to_index(i)));
      }
    }
  });
  set_targets(std::move(targets));
  rough_rows_ = rows();
}

void LinearExamples::transform(std::span<const MultiWeight> linearised, Eigen::Ref<Matrix> out) const {
  out.setZero();
  for (const MultiWeight& w : linearised) out.noalias() += maps_[w.bone] * w.value;
}

void LinearExamples::transform(const VirtualBone& bone, Eigen::Ref<Matrix> out) const {
  transform(linearise(bone.centre, bone.weights), out);
}

}  // namespace marrow::ddm_compression
