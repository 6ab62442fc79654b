#pragma once

#include <Eigen/Dense>
#include <Eigen/SVD>
#include <cmath>
#include <map>
#include <vector>

#include "marrow/ddm.hpp"

namespace marrow::testing {

/// Direct Delta Mush by dense matrices, straight from the formulas; shares no code with the library. For meshes without
/// seams, repeated or degenerate faces, bound rigidly, with `uniform` smoothing; nothing is pruned.
class DenseDdm {
 public:
  using Matrix = Eigen::MatrixXd;

  DenseDdm(const Rig& rig, const DdmOptions& options) : rig_(rig) {
    const auto n = static_cast<Eigen::Index>(rig.vertices());
    const Matrix l = cotangents();
    const Matrix d = l.diagonal().asDiagonal();
    // B = (I + lambda D^-1 L)^-steps
    const Matrix one = Matrix::Identity(n, n);
    const auto power = [&](double strength) {
      const Matrix step = (one + strength * d.inverse() * l).inverse();
      Matrix out = one;
      for (int s = 0; s < options.steps; ++s) out = out * step;
      return out;
    };
    const Matrix b = power(options.lambda), c = power(options.kappa);
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
    return r * (position(i) - p) + q;
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
  static Eigen::Matrix4d to_matrix(const Affine& a) {
    Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
    for (int r = 0; r < 3; ++r) {
      for (int k = 0; k < 4; ++k) m(r, k) = a(static_cast<std::size_t>(r), static_cast<std::size_t>(k));
    }
    return m;
  }

  Eigen::Vector3d position(std::size_t i) const {
    const Vec3& p = rig_.mesh.positions[i];
    return {p.x, p.y, p.z};
  }

  Matrix cotangents() const {
    const auto n = static_cast<Eigen::Index>(rig_.vertices());
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> sums;
    for (const auto& t : triangles(rig_.mesh)) {
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t at = t[k], a = t[(k + 1) % 3], b = t[(k + 2) % 3];
        const Eigen::Vector3d u = (position(a) - position(at)).normalized(),
                              w = (position(b) - position(at)).normalized();
        sums[{std::min(a, b), std::max(a, b)}] += 0.5 / std::tan(std::acos(u.dot(w)));
      }
    }
    Matrix l = Matrix::Zero(n, n);
    for (const auto& [edge, sum] : sums) {
      const double w = std::max(sum, 1e-3);
      l(edge.first, edge.second) = l(edge.second, edge.first) = -w;
      l(edge.first, edge.first) += w;
      l(edge.second, edge.second) += w;
    }
    return l;
  }

  std::size_t bone_of(std::size_t k) const {
    const auto values = rig_.weights.row_values(k);
    return rig_.weights.row_bones(
        k)[static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin())];
  }

  /// Psi_ij = sum_k B_ik w_kj u_k u_k^T; Omega_ij = (1 - alpha) Psi_ij + alpha w'_ij [p p^T, p; p^T, 1].
  void add_vertex(std::size_t i, const Matrix& b, const Matrix& c, double alpha) {
    std::vector<double> w(rig_.bones(), 0);
    Eigen::Vector3d p = Eigen::Vector3d::Zero();
    for (std::size_t k = 0; k < rig_.vertices(); ++k) {
      const Eigen::Vector4d u = position(k).homogeneous();
      const double share = b(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
      omega_[i][bone_of(k)] += (1 - alpha) * share * u * u.transpose();
      p += share * position(k);
      w[bone_of(k)] += c(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
    }
    const Eigen::Vector4d h = p.homogeneous();
    for (std::size_t j = 0; j < rig_.bones(); ++j) omega_[i][j] += alpha * w[j] * h * h.transpose();
  }

  const Rig& rig_;
  std::vector<std::vector<Eigen::Matrix4d>> omega_;
};

}  // namespace marrow::testing
