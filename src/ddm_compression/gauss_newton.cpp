// The first layer on the true error: Gauss-Newton through the polar decomposition, virtual bone by virtual bone.
#include "ddm_compression/gauss_newton.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "core/factor.hpp"
#include "core/parallel.hpp"
#include "ddm_compression/pose_examples.hpp"

namespace marrow::ddm_compression {
namespace {

constexpr double first_damping = 1e-3, least_damping = 1e-6, most_damping = 1e3, damping_after_failure = 1;
constexpr double unseen_damping = 1e-3;  // of the mean curvature
constexpr double least_weight = 1e-5;    // of a multi-weight's ww

/// Room of one virtual bone's steps.
struct Work {
  Eigen::MatrixXf jacobian;  ///< 12 rows per pose
  Eigen::MatrixXf normal;
  Eigen::VectorXd slope;
  Matrix transform;
};

double spread_unit(const VirtualBone& bone) {
  double trace = 0;
  for (const MultiWeight& w : bone.weights) trace += w.value.topLeftCorner<3, 3>().trace();
  return std::sqrt(std::max(trace / 3, 1e-12));
}

/// From coordinates of DistinctPoints to those about the bone's centre in parts of the unit.
Matrix4 to_local(const VirtualBone& bone, double unit) {
  Matrix4 out = Matrix4::Identity();
  out.topLeftCorner<3, 3>() /= unit;
  out.topRightCorner<3, 1>() = -bone.centre / unit;
  return out;
}

/// Phi = F F^T, for any positive semi-definite Phi.
Matrix4 factor(const Matrix4& moments) {
  Matrix4 ridge = moments;
  ridge.diagonal().array() += 1e-9 * moments.trace();
  return ridge.llt().matrixL();
}

/// One bone's problem: cost and Gauss-Newton step.
class BoneProblem {
 public:
  BoneProblem(const PoseExamples& examples, const Matrix4& moments, const Matrix& lacking, Work& work)
      : examples_(examples), moments_(moments), lacking_(lacking), work_(work) {}

  /// J^T J and J^T r at the bone.
  void linearise_at(const VirtualBone& bone) {
    const PoseSet& poses = examples_.poses();
    unit_ = spread_unit(bone);
    const Matrix4 local = to_local(bone, unit_);
    const double scale = 1 / std::sqrt(double(poses.count()));
    const Matrix4 half = factor(local * moments_ * local.transpose());
    // Rows of T are in parts of the size and scaled for the mean over poses: dT = scale unit R (R^T dT)_local local.
    const Matrix4 right = scale * unit_ * half;
    const Index columns = entries * to_index(bone.weights.size());
    work_.jacobian.resize(12 * to_index(poses.count()), columns);
    work_.slope = Eigen::VectorXd::Zero(columns);
    Eigen::VectorXf residual(12 * to_index(poses.count()));
    // What is missing, by the same factor: lacking = wanted (local^-1 F)^T.
    const Matrix4 back = (local.inverse() * half).transpose().inverse();
    for (std::size_t t = 0; t < poses.count(); ++t) {
      RowTransform at;
      derivative(poses, t, bone, unit_, right, work_.jacobian.middleRows(12 * to_index(t), 12), at);
      const Eigen::Matrix<double, 3, 4, Eigen::RowMajor> wanted =
          at.rotation.transpose() * lacking_.middleRows<3>(3 * to_index(t)) * back;
      residual.segment<12>(12 * to_index(t)) =
          Eigen::Map<const Eigen::Matrix<double, 12, 1>>(wanted.data()).cast<float>();
    }
    work_.normal.resize(columns, columns);
    work_.normal.setZero();
    work_.normal.selfadjointView<Eigen::Lower>().rankUpdate(work_.jacobian.transpose());
    work_.slope = (work_.jacobian.transpose() * residual).cast<double>();
  }

  Eigen::VectorXd step(double damping) const {
    Matrix normal = work_.normal.cast<double>().selfadjointView<Eigen::Lower>();
    // What the poses do not show must not drift: in other poses it might turn the bone over.
    const double floor = unseen_damping * normal.trace() / double(normal.rows());
    normal.diagonal() += damping * normal.diagonal();
    normal.diagonal().array() += floor + std::numeric_limits<double>::min();
    return solve_symmetric(normal, work_.slope);
  }

  /// Gain over the transform that `lacking` belongs to.
  double gain_of(const VirtualBone& bone, const Matrix& before, Matrix& change) const {
    work_.transform.resize(examples_.rows(), 4);
    examples_.transform(bone, work_.transform);
    change = work_.transform - before;
    return gain(moments_, lacking_, change);
  }

  double unit() const { return unit_; }

 private:
  const PoseExamples& examples_;
  const Matrix4& moments_;
  const Matrix& lacking_;
  Work& work_;
  double unit_ = 1;
};

void refine_bone(const PoseExamples& examples, const Coupling& coupling, std::size_t k, double& damping, Fit& fit,
                 Work& work) {
  const Matrix4 moments = coupling.moments.block<4, 4>(4 * to_index(k), 4 * to_index(k));
  // Nothing follows it; or it follows one bone, which it does whatever its multi-weight is.
  if (!(moments(3, 3) > 0) || fit.bones[k].weights.size() < 2) return;
  const Matrix before = fit.transform(k), lacking = missing(coupling, fit, k);
  BoneProblem problem(examples, moments, lacking, work);
  problem.linearise_at(fit.bones[k]);
  Matrix change;
  for (; damping <= most_damping; damping *= 10) {
    VirtualBone trial = fit.bones[k];
    if (!take_step(trial, problem.unit(), problem.step(damping))) continue;
    if (!(problem.gain_of(trial, before, change) > 0)) continue;
    fit.bones[k] = std::move(trial);
    fit.transform(k) = before + change;
    damping = std::max(damping / 5, least_damping);
    return;
  }
  damping = damping_after_failure;
}

}  // namespace

void derivative(const PoseSet& poses, std::size_t pose, const VirtualBone& bone, double unit, const Matrix4& right,
                Eigen::Ref<Eigen::MatrixXf> out, RowTransform& at) {
  at = evaluate(poses, pose, bone.centre, bone.weights);
  const Eigen::Matrix3d stretch = at.rotation.transpose() * at.blended / (unit * unit);
  // Turning by omega changes R^T A by [omega] P; its skew part is that of R^T dA, hence (tr P - P) omega = vee(...).
  Eigen::Matrix3d solve = stretch.trace() * Eigen::Matrix3d::Identity() - (stretch + stretch.transpose()) / 2;
  const Eigen::Matrix3d turn = solve.inverse();
  const Vector3 q = at.shift / unit;
  for (std::size_t j = 0; j < bone.weights.size(); ++j) {
    const auto& m = poses.at(pose, bone.weights[j].bone);
    const Eigen::Matrix3d y = at.rotation.transpose() * m.leftCols<3>();
    const Vector3 way = (m.leftCols<3>() * bone.centre + m.col(3) - bone.centre) / unit;
    const Vector3 off = at.rotation.transpose() * (way - q);
    int column = entries * int(j);
    for (int a = 0; a < 4; ++a) {
      for (int b = a; b < 4; ++b, ++column) {
        Vector3 omega = Vector3::Zero(), moved = Vector3::Zero();
        if (b < 3) {
          omega = Vector3::Unit(b).cross(y.col(a));
          if (a != b) omega += Vector3::Unit(a).cross(y.col(b));
          omega = turn * omega;
        } else if (a < 3) {
          omega = turn * Vector3::Unit(a).cross(off);
          moved = y.col(a) - Vector3::Unit(a);
        } else {
          moved = off;
        }
        // [omega] F + moved f^T, F the first three rows of `right` and f the last.
        for (int c = 0; c < 4; ++c) {
          const Vector3 entry = omega.cross(right.col(c).head<3>()) + right(3, c) * moved;
          for (int r = 0; r < 3; ++r) out(4 * r + c, column) = float(entry[r]);
        }
      }
    }
  }
}

bool take_step(VirtualBone& bone, double unit, const Eigen::VectorXd& step) {
  const Vector4 scale(unit, unit, unit, 1);
  Index at = 0;
  for (MultiWeight& w : bone.weights) {
    Matrix4 change;
    for (int a = 0; a < 4; ++a) {
      for (int b = a; b < 4; ++b) change(a, b) = change(b, a) = step[at++];
    }
    w.value += scale.asDiagonal() * change * scale.asDiagonal();
    w.value(3, 3) = std::max(w.value(3, 3), least_weight);
  }
  return normalise(bone) && roundness(bone) >= least_spread;
}

void refine_bones(const DistinctPoints& points, const PoseExamples& examples, std::span<const double> mass,
                  Damping& damping, Fit& fit, const Run& run) {
  const Coupling coupling = couple(points, examples, fit, mass, run);
  damping.values.resize(fit.bone_count(), first_damping);
  for (const std::vector<std::uint32_t>& colour : coupling.colours) {
    parallel_for(run, colour.size(), 1, [&](std::size_t begin, std::size_t end) {
      Work work;
      for (std::size_t c = begin; c < end; ++c) {
        const std::uint32_t k = colour[c];
        refine_bone(examples, coupling, k, damping.values[k], fit, work);
      }
    });
  }
}

}  // namespace marrow::ddm_compression
