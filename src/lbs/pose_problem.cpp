#include "lbs/pose_problem.hpp"

#include <algorithm>

#include "core/factor.hpp"
#include "core/parallel.hpp"
#include "lbs/products.hpp"
#include "lbs/to_rig.hpp"
#include "marrow/metrics.hpp"

namespace marrow::lbs {
namespace {

/// Centroids of all vertices per frame (3 frames): of the target, or sum_j M_j (sum_i w_ij u~_i) / n.
Eigen::VectorXd frame_middles(const Rig& rig, const Motion& poses, const Sequence* target, const Run& run) {
  const std::size_t frames = poses.frames(), n = rig.vertices();
  Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(4, Eigen::Index(rig.bones()));
  for (std::size_t i = 0; i < n && target == nullptr; ++i) {
    const Vec3& u = rig.mesh.positions[i];
    for (std::size_t e = rig.weights.offsets[i]; e < rig.weights.offsets[i + 1]; ++e) {
      moments.col(rig.weights.bones[e]) += double(rig.weights.values[e]) * Eigen::Vector4d(u.x, u.y, u.z, 1);
    }
  }
  Eigen::VectorXd middles(Eigen::Index(3 * frames));
  parallel_for(run, frames, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      Eigen::Vector3d sum = Eigen::Vector3d::Zero();
      if (target != nullptr) {
        for (const Vec3& v : target->frame(t)) sum += Eigen::Vector3d(v.x, v.y, v.z);
      } else {
        for (std::size_t j = 0; j < rig.bones(); ++j) {
          const Eigen::Map<const Eigen::Matrix<double, 3, 4, Eigen::RowMajor>> m(poses.frame(t)[j].m.data());
          sum += m * moments.col(Eigen::Index(j));
        }
      }
      middles.segment<3>(Eigen::Index(3 * t)) = sum / double(n);
    }
  });
  return middles;
}

Space make_exact_space(const Rig& rig, const Motion& poses, const Sequence* target, const Run& run) {
  Space space;
  space.frames = poses.frames();
  const Ball ball = smallest_enclosing_ball(rig.mesh.positions);
  space.radius = ball.radius > 0 ? ball.radius : 1;
  space.rest_centre = {ball.x, ball.y, ball.z};
  space.frame_centres = frame_middles(rig, poses, target, run).reshaped<Eigen::RowMajor>(poses.frames(), 3);
  space.dropped = Eigen::VectorXd::Zero(1);
  space.basis = span_of(to_bones(space, poses));
  space.transposed = space.basis.transpose();
  return space;
}

/// Target = the rig's own deformation sum_j w_j R_j u~, computed without the frames. Where weights sum to 1 only up to
/// rounding, adds back that share of the frames' centroids, which R does not contain.
void set_own_target(const Rig& rig, const PoseProblem& problem, Points& points, const Run& run) {
  const Space& space = problem.space;
  const auto rank = std::size_t(problem.factor.rows());
  const Eigen::VectorXd middle =
      space.transposed * space.frame_centres.reshaped<Eigen::RowMajor>().matrix() / space.radius;
  points.rank = rank;
  points.coordinates.assign(points.blocks() * rank * lanes, 0);
  points.squared.assign(points.blocks() * lanes, 0);
  parallel_for(run, points.blocks(), 32, [&](std::size_t begin, std::size_t end) {
    Eigen::VectorXd sum(problem.factor.rows());
    for (std::size_t at = begin * lanes; at < end * lanes; ++at) {
      const std::size_t i = std::min(at, points.count - 1);
      const Eigen::Vector3d u = rest_of(points.rest, at);
      double total = 0;
      sum.setZero();
      for (std::size_t e = rig.weights.offsets[i]; e < rig.weights.offsets[i + 1]; ++e) {
        const double w = rig.weights.values[e];
        const double* r = problem.by_bone.data() + std::size_t(rig.weights.bones[e]) * 4 * rank;
        for (std::size_t q = 0; q < rank; ++q) {
          sum[Eigen::Index(q)] += w * (u[0] * r[q] + u[1] * r[rank + q] + u[2] * r[2 * rank + q] + r[3 * rank + q]);
        }
        total += w;
      }
      sum += (total - 1) * middle;
      double* out = points.coordinates.data() + at / lanes * rank * lanes + at % lanes;
      for (std::size_t q = 0; q < rank; ++q) out[q * lanes] = sum[Eigen::Index(q)];
      points.squared[at] = sum.squaredNorm();
    }
  });
}

std::vector<double> transposed_by_bone(const RowMatrix& factor) {
  const auto rank = std::size_t(factor.rows()), columns = std::size_t(factor.cols());
  std::vector<double> out(rank * columns);
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t q = 0; q < rank; ++q) {
      out[c * rank + q] = factor(Eigen::Index(q), Eigen::Index(c));
    }
  }
  return out;
}

}  // namespace

void set_rest(const Rig& rig, const Space& space, Points& points) {
  points.rest.resize(points.blocks() * 3 * lanes);
  for (std::size_t at = 0; at < points.blocks() * lanes; ++at) {
    const Vec3& p = rig.mesh.positions[std::min(at, points.count - 1)];
    double* rest = points.rest.data() + at / lanes * 3 * lanes + at % lanes;
    rest[0] = (p.x - space.rest_centre.x()) / space.radius;
    rest[lanes] = (p.y - space.rest_centre.y()) / space.radius;
    rest[2 * lanes] = (p.z - space.rest_centre.z()) / space.radius;
  }
}

RowMatrix span_of(const Bones& bones) {
  if (bones.rows() <= bones.cols()) return RowMatrix::Identity(bones.rows(), bones.rows());
  return orthonormal_columns(bones);
}

PoseProblem::PoseProblem(const Rig& rig, const Motion& poses, const Sequence* target, const Run& run)
    : space(make_exact_space(rig, poses, target, run)),
      bones(to_bones(space, poses)),
      factor(transposed_product(space.basis, bones, run)),
      by_bone(transposed_by_bone(factor)),
      tables(space, bones, std::size_t(space.basis.cols()), 1, run) {
  if (target != nullptr) {
    points = make_points(*target, space, {}, run);
    set_rest(rig, space, points);
    return;
  }
  points.count = rig.vertices();
  set_rest(rig, space, points);
  set_own_target(rig, *this, points, run);
}

}  // namespace marrow::lbs
