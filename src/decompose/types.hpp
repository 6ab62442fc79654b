#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decompose/kernels/weights.hpp"
#include "decompose/linear_fit.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow::ssdr {

using kernels::lanes;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Matrix34 = Eigen::Matrix<double, 3, 4>;

/// The frames' own coordinates: centred, scaled by the rest pose's smallest ball, and reduced to an orthonormal basis
/// of what the frames span (FSD section 3). All solver quantities live here.
struct Space {
  std::size_t frames = 0;
  double radius = 1;
  Eigen::Vector3d rest_centre = Eigen::Vector3d::Zero();
  RowMatrix frame_centres;  ///< frames x 3
  RowMatrix basis;          ///< 3 frames x rank, orthonormal columns by falling variance
  RowMatrix transposed;     ///< the same, rank x 3 frames
  Eigen::VectorXd dropped;  ///< [q]: E_RMS of what is lost when only the first q columns are used; rank + 1 entries
  double noise = 0;         ///< variance of the noise in every coordinate, where that is known

  /// What every bone of a vertex must take off its squared error: more than a bone that moves at random would take off
  /// the noise.
  double per_influence() const { return 3 * noise; }
  double lost() const { return dropped[dropped.size() - 1]; }
  /// The fewest columns that lose at most this.
  std::size_t rank_for(double e_rms) const;
  /// With only those.
  Space within(double e_rms) const;
};

/// Vertices in that space, in blocks of `lanes`; the last block is filled up with copies of its last vertex.
struct Points {
  std::size_t count = 0;
  std::size_t rank = 0;
  std::vector<double> coordinates;  ///< [block][rank][lane]
  std::vector<double> rest;         ///< [block][3][lane]: the rest pose as given
  std::vector<double> squared;      ///< [block][lane]: sum of squared coordinates

  std::size_t blocks() const { return (count + lanes - 1) / lanes; }
  const double* block_coordinates(std::size_t b) const { return coordinates.data() + b * rank * lanes; }
  double coordinate(std::size_t i, std::size_t q) const { return block_coordinates(i / lanes)[q * lanes + i % lanes]; }
};

/// Vertex i of a rest pose in blocks, as in Points::rest.
inline Eigen::Vector3d rest_of(const std::vector<double>& rest, std::size_t i) {
  const double* r = rest.data() + i / lanes * 3 * lanes + i % lanes;
  return {r[0], r[lanes], r[2 * lanes]};
}

/// Weights with a fixed number of slots per vertex; the first used[i] are in use.
struct SlotWeights {
  std::size_t influences = 0;
  std::vector<std::uint32_t> bones;  ///< [block][lane][influences]
  std::vector<double> values;
  std::vector<std::uint32_t> used;  ///< [block][lane]
  std::vector<double> errors;       ///< [block][lane]: sum over frames of the squared residual

  void resize(std::size_t blocks, std::size_t most) {
    influences = most;
    bones.assign(blocks * lanes * most, 0);
    values.assign(blocks * lanes * most, 0);
    used.assign(blocks * lanes, 0);
    errors.assign(blocks * lanes, 0);
  }
  /// Slots in use by the first `count` vertices.
  double slots_used(std::size_t count) const {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += used[i];
    return sum;
  }
};

/// M_j^t of all bones and frames: rows 3t .. 3t + 2, columns 4j .. 4j + 3.
using Bones = RowMatrix;

inline std::size_t bone_count(const Bones& bones) {
  return static_cast<std::size_t>(bones.cols() / 4);
}

/// How the points meet the bones: H_jk = sum_i w_ij w_ik p~ p~^T and N = sum_i v_i (w_ij p~)^T, which is all that the
/// bones' best motion depends on.
struct Normal {
  std::size_t bones = 0;
  std::vector<double> h;  ///< [bones][bones][10], upper triangle of the 4 x 4 block, row by row
  RowMatrix n;            ///< 3 frames x 4 bones
  double squared = 0;     ///< sum of squared coordinates

  Eigen::Matrix4d block(std::size_t j, std::size_t k) const {
    const double* v = h.data() + (j * bones + k) * 10;
    Eigen::Matrix4d m;
    m << v[0], v[1], v[2], v[3], v[1], v[4], v[5], v[6], v[2], v[5], v[7], v[8], v[3], v[6], v[8], v[9];
    return m;
  }
  bool linked(std::size_t j, std::size_t k) const { return h[(j * bones + k) * 10 + 9] != 0; }
  /// sum_i w_ij w_ik: how many vertices follow both, in parts.
  double shared(std::size_t j, std::size_t k) const { return h[(j * bones + k) * 10 + 9]; }
};

/// Holds two bones together at a rest point: stiffness * |(M_a - M_b) point|^2 is added to every frame's energy.
struct JointSpring {
  std::size_t a = 0, b = 0;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  double stiffness = 0;
};

/// E_RMS of a sum of squared residuals.
inline double e_rms(double squared_error, std::size_t vertices, std::size_t frames) {
  return 1000 * std::sqrt(std::max(0.0, squared_error) / (3.0 * static_cast<double>(vertices * frames)));
}

// space.cpp
/// `tolerance`: E_RMS that the reduced coordinates may lose.
Space make_space(const Sequence& sequence, double tolerance, const Run& run);
/// The given vertices; all where `subset` is empty.
Points make_points(const Sequence& sequence, const Space& space, std::span<const std::uint32_t> subset, const Run& run);
/// The same points with only the first `rank` coordinates.
Points truncated(const Points& points, std::size_t rank);

// bone_tables.cpp
/// What the kernels need of the bones.
class BoneTables {
 public:
  BoneTables(const Space& space, const Bones& bones, std::size_t rank, std::size_t influences, const Run& run);
  const kernels::WeightProblem& problem() const { return problem_; }
  /// sum over frames of M_j^T M_k, symmetric part, entry q of ten.
  double gram(std::size_t j, std::size_t q, std::size_t k) const { return gram_[(j * 10 + q) * problem_.stride + k]; }
  /// Column q of M_j^T Q.
  Eigen::Map<const Eigen::Vector4d> projection(std::size_t j, std::size_t q) const {
    return Eigen::Map<const Eigen::Vector4d>(projection_.data() + ((j / 2) * problem_.rank + q) * 8 + (j % 2) * 4);
  }

 private:
  std::vector<double> gram_, diagonal_, projection_;
  kernels::WeightProblem problem_{};
};

// transforms.cpp
Normal accumulate(const Space& space, const Points& points, const std::vector<double>& rest, const SlotWeights& weights,
                  std::size_t bones, const Run& run);
/// The same with joints that pull: the sums of a, b and between them change, so every step that uses them obeys.
Normal with_joints(Normal normal, std::span<const JointSpring> joints);
/// One sweep of the best transform per bone, all else fixed (SSDR Eq. 6 to 10). Bones without weight stay. `models`:
/// one per bone, as `axes`, of stretching ones. Bones before `first` stay too.
void solve_transforms(std::span<const Model> models, const std::vector<Eigen::Matrix3d>& axes, const Normal& normal,
                      Bones& bones, const Run& run, std::size_t first = 0);
inline void solve_transforms(const Model& model, const std::vector<Eigen::Matrix3d>& axes, const Normal& normal,
                             Bones& bones, const Run& run, std::size_t first = 0) {
  solve_transforms(std::vector<Model>(normal.bones, model), axes, normal, bones, run, first);
}
double energy(const Normal& normal, const Bones& bones, const Run& run);

}  // namespace marrow::ssdr
