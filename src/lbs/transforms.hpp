#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lbs/bones.hpp"
#include "lbs/linear_fit.hpp"
#include "lbs/matrices.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"

namespace marrow::lbs {

/// Normal equations of the transforms: H_jk = sum_i w_ij w_ik p~ p~^T and N = sum_i v_i (w_ij p~)^T.
struct Normal {
  std::size_t bones = 0;
  std::vector<double> h;  ///< [bones][bones][10], upper triangle of the 4 x 4 block by rows
  RowMatrix n;            ///< 3 frames x 4 bones
  double squared = 0;     ///< sum of squared coordinates

  Eigen::Matrix4d block(std::size_t j, std::size_t l) const {
    const double* v = h.data() + (j * bones + l) * 10;
    Eigen::Matrix4d m;
    m << v[0], v[1], v[2], v[3], v[1], v[4], v[5], v[6], v[2], v[5], v[7], v[8], v[3], v[6], v[8], v[9];
    return m;
  }
  bool linked(std::size_t j, std::size_t l) const { return h[(j * bones + l) * 10 + 9] != 0; }
  /// sum_i w_ij w_ik: common weight of two bones.
  double shared(std::size_t j, std::size_t l) const { return h[(j * bones + l) * 10 + 9]; }
};

/// Soft joint: adds stiffness * |(M_a - M_b) point|^2 to the energy of every frame.
struct JointSpring {
  std::size_t a = 0, b = 0;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  double stiffness = 0;
};

Normal accumulate(const Space& space, const Points& points, const std::vector<double>& rest, const SlotWeights& weights,
                  std::size_t bones, const Run& run);
/// The normal equations plus the energy of soft joints.
Normal with_joints(Normal normal, std::span<const JointSpring> joints);
/// One sweep of the best transform per bone, all others fixed (SSDR, Eqs. 6 to 10). Bones without weight, and bones
/// before `first`, stay. `models`, `axes`: one per bone.
void solve_transforms(std::span<const BoneModel> models, const std::vector<Eigen::Matrix3d>& axes, const Normal& normal,
                      Bones& bones, const Run& run, std::size_t first = 0);
inline void solve_transforms(const BoneModel& model, const std::vector<Eigen::Matrix3d>& axes, const Normal& normal,
                             Bones& bones, const Run& run, std::size_t first = 0) {
  solve_transforms(std::vector<BoneModel>(normal.bones, model), axes, normal, bones, run, first);
}
double energy(const Normal& normal, const Bones& bones, const Run& run);

}  // namespace marrow::lbs
