#pragma once

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <cmath>
#include <map>
#include <vector>

#include "marrow/ddm.hpp"

namespace marrow::testing {

using DenseMatrix = Eigen::MatrixXd;

inline Eigen::Vector3d rest_position(const Rig& rig, std::size_t i) {
  const Vec3& p = rig.mesh.positions[i];
  return {p.x, p.y, p.z};
}

inline Eigen::Matrix4d to_matrix(const Affine& a) {
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  for (int r = 0; r < 3; ++r) {
    for (int k = 0; k < 4; ++k) m(r, k) = a(std::size_t(r), std::size_t(k));
  }
  return m;
}

inline DenseMatrix dense_cotangents(const Rig& rig) {
  const auto n = Eigen::Index(rig.vertices());
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> sums;
  for (const auto& t : triangles(rig.mesh)) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t at = t[k], a = t[(k + 1) % 3], b = t[(k + 2) % 3];
      const Eigen::Vector3d u = (rest_position(rig, a) - rest_position(rig, at)).normalized(),
                            w = (rest_position(rig, b) - rest_position(rig, at)).normalized();
      sums[{std::min(a, b), std::max(a, b)}] += 0.5 / std::tan(std::acos(u.dot(w)));
    }
  }
  DenseMatrix l = DenseMatrix::Zero(n, n);
  for (const auto& [edge, sum] : sums) {
    const double w = std::max(sum, 1e-3);
    l(edge.first, edge.second) = l(edge.second, edge.first) = -w;
    l(edge.first, edge.first) += w;
    l(edge.second, edge.second) += w;
  }
  return l;
}

/// (I + strength D^-1 L)^-steps
inline DenseMatrix dense_smoothing(const Rig& rig, double strength, int steps) {
  const DenseMatrix l = dense_cotangents(rig), d = l.diagonal().asDiagonal();
  const DenseMatrix one = DenseMatrix::Identity(l.rows(), l.cols());
  const DenseMatrix step = (one + strength * d.inverse() * l).inverse();
  DenseMatrix out = one;
  for (int s = 0; s < steps; ++s) out = out * step;
  return out;
}

/// w_kj, #vertices x #bones; with `rigid` 1 for the strongest bone.
inline DenseMatrix dense_weights(const Rig& rig, bool rigid) {
  DenseMatrix w = DenseMatrix::Zero(Eigen::Index(rig.vertices()), Eigen::Index(rig.bones()));
  for (std::size_t k = 0; k < rig.vertices(); ++k) {
    const auto bones = rig.weights.row_bones(k);
    const auto values = rig.weights.row_values(k);
    const auto row = Eigen::Index(k);
    for (std::size_t e = 0; e < bones.size(); ++e) w(row, bones[e]) = double(values[e]);
    if (!rigid) continue;
    Eigen::Index strongest = 0;
    w.row(row).maxCoeff(&strongest);
    w.row(row).setZero();
    w(row, strongest) = 1;
  }
  return w;
}

/// Direct Delta Mush by dense matrices, straight from the formulas; shares no code with the library. For meshes without
/// seams, repeated or degenerate faces, with `uniform` smoothing; nothing is pruned.
class DenseDdm {
 public:
  DenseDdm(const Rig& rig, const DdmOptions& options) : rig_(rig), weights_(dense_weights(rig, options.rigid_bind)) {
    const DenseMatrix b = dense_smoothing(rig, options.lambda, options.steps),
                      c = dense_smoothing(rig, options.kappa, options.steps) * weights_;
    omega_.assign(rig.vertices(), std::vector<Eigen::Matrix4d>(rig.bones(), Eigen::Matrix4d::Zero()));
    for (std::size_t i = 0; i < rig.vertices(); ++i) add_vertex(i, b, c, options.alpha);
  }

  /// Eq. 10 of the 2019 paper in doubles, with Omega as it is, by a singular value decomposition.
  Eigen::Vector3d deform(std::size_t i, std::span<const Affine> pose) const {
    Eigen::Matrix4d blend = Eigen::Matrix4d::Zero();
    for (std::size_t j = 0; j < rig_.bones(); ++j) blend += to_matrix(pose[j]) * omega_[i][j];
    const Eigen::Vector3d q = blend.topRightCorner<3, 1>(), p = blend.bottomLeftCorner<1, 3>().transpose();
    const Eigen::Matrix3d m = blend.topLeftCorner<3, 3>() - q * p.transpose();
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Eigen::Matrix3d fix = Eigen::Matrix3d::Identity();
    fix(2, 2) = (svd.matrixU() * svd.matrixV().transpose()).determinant();
    const Eigen::Matrix3d r = svd.matrixU() * fix * svd.matrixV().transpose();
    return r * (rest_position(rig_, i) - p) + q;
  }

  /// Omega_ij about the centre p_i.
  Eigen::Matrix4d centred(std::size_t i, std::size_t j) const {
    Eigen::Matrix4d away = Eigen::Matrix4d::Identity();
    away.topRightCorner<3, 1>() = -centre(i);
    return away * omega_[i][j] * away.transpose();
  }
  Eigen::Vector3d centre(std::size_t i) const {
    Eigen::Vector3d p = Eigen::Vector3d::Zero();
    for (const Eigen::Matrix4d& o : omega_[i]) p += o.topRightCorner<3, 1>();
    return p;
  }

 private:
  /// Psi_ij = sum_k B_ik w_kj u_k u_k^T; Omega_ij = (1 - alpha) Psi_ij + alpha w'_ij [p p^T, p; p^T, 1].
  void add_vertex(std::size_t i, const DenseMatrix& b, const DenseMatrix& smoothed, double alpha) {
    const auto row = Eigen::Index(i);
    Eigen::Vector3d p = Eigen::Vector3d::Zero();
    for (std::size_t k = 0; k < rig_.vertices(); ++k) {
      const Eigen::Vector4d u = rest_position(rig_, k).homogeneous();
      const double share = b(row, Eigen::Index(k));
      for (std::size_t j = 0; j < rig_.bones(); ++j) {
        const double w = weights_(Eigen::Index(k), Eigen::Index(j));
        omega_[i][j] += (1 - alpha) * share * w * u * u.transpose();
      }
      p += share * rest_position(rig_, k);
    }
    const Eigen::Vector4d h = p.homogeneous();
    for (std::size_t j = 0; j < rig_.bones(); ++j) {
      omega_[i][j] += alpha * smoothed(row, Eigen::Index(j)) * h * h.transpose();
    }
  }

  const Rig& rig_;
  DenseMatrix weights_;
  std::vector<std::vector<Eigen::Matrix4d>> omega_;
};

/// Delta Mush as riggers know it: smooth, and put the details back in frames of the smooth surface's normal and one of
/// its edges. `uniform` smoothing; shares no code with the library.
class DenseDeltaMush {
 public:
  DenseDeltaMush(const Rig& rig, const DdmOptions& options)
      : rig_(rig),
        weights_(dense_weights(rig, options.rigid_bind)),
        smoothing_(dense_smoothing(rig, options.lambda, options.steps)),
        neighbour_(rig.vertices(), 0),
        rest_(Eigen::Index(rig.vertices()), 3) {
    for (std::size_t i = 0; i < rig.vertices(); ++i) {
      rest_.row(Eigen::Index(i)) = rest_position(rig, i).transpose();
    }
    for (const auto& [a, b, c] : triangles(rig.mesh)) {
      neighbour_[a] = b;
      neighbour_[b] = c;
      neighbour_[c] = a;
    }
    const DenseMatrix smooth = smoothing_ * rest_;
    const std::vector<Eigen::Matrix3d> frames = frames_of(smooth);
    for (std::size_t i = 0; i < rig.vertices(); ++i) {
      const auto row = Eigen::Index(i);
      deltas_.push_back(frames[i].transpose() * (rest_.row(row) - smooth.row(row)).transpose());
    }
  }

  std::vector<Vec3> deform(std::span<const Affine> pose) const {
    DenseMatrix posed = DenseMatrix::Zero(rest_.rows(), 3);
    for (Eigen::Index j = 0; j < weights_.cols(); ++j) {
      const Eigen::Matrix4d m = to_matrix(pose[std::size_t(j)]);
      const DenseMatrix moved =
          (rest_ * m.topLeftCorner<3, 3>().transpose()).rowwise() + m.topRightCorner<3, 1>().transpose();
      posed += weights_.col(j).asDiagonal() * moved;
    }
    posed = smoothing_ * posed;
    const std::vector<Eigen::Matrix3d> frames = frames_of(posed);
    std::vector<Vec3> out;
    for (std::size_t i = 0; i < deltas_.size(); ++i) {
      const Eigen::Vector3d v = posed.row(Eigen::Index(i)).transpose() + frames[i] * deltas_[i];
      out.push_back({float(v[0]), float(v[1]), float(v[2])});
    }
    return out;
  }

 private:
  /// Columns: normal, edge without its part along the normal, and their cross product.
  std::vector<Eigen::Matrix3d> frames_of(const DenseMatrix& positions) const {
    const auto at = [&](std::uint32_t i) -> Eigen::Vector3d { return positions.row(i).transpose(); };
    std::vector<Eigen::Vector3d> normals(rig_.vertices(), Eigen::Vector3d::Zero());
    for (const auto& [a, b, c] : triangles(rig_.mesh)) {
      const Eigen::Vector3d n = (at(b) - at(a)).cross(at(c) - at(a));
      for (const std::uint32_t v : {a, b, c}) normals[v] += n;
    }
    std::vector<Eigen::Matrix3d> frames(rig_.vertices());
    for (std::uint32_t i = 0; i < rig_.vertices(); ++i) {
      const Eigen::Vector3d n = normals[i].normalized();
      const Eigen::Vector3d edge = at(neighbour_[i]) - at(i);
      const Eigen::Vector3d t = (edge - n * n.dot(edge)).normalized();
      frames[i] << n, t, n.cross(t);
    }
    return frames;
  }

  const Rig& rig_;
  DenseMatrix weights_, smoothing_;
  std::vector<std::uint32_t> neighbour_;
  DenseMatrix rest_;
  std::vector<Eigen::Vector3d> deltas_;
};

}  // namespace marrow::testing
