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

Normal accumulate(const Space& space, const Points& points, const std::vector<double>& rest, const SlotWeights& weights,
                  std::size_t bones, const Run& run);
/// The same with joints that pull: the sums of a, b and between them change, so every step that uses them obeys.
Normal with_joints(Normal normal, std::span<const JointSpring> joints);
/// One sweep of the best transform per bone, all else fixed (SSDR Eq. 6 to 10). Bones without weight stay. `models`:
/// one per bone, as `axes`, of stretching ones. Bones before `first` stay too.
void solve_transforms(std::span<const BoneModel> models, const std::vector<Eigen::Matrix3d>& axes, const Normal& normal,
                      Bones& bones, const Run& run, std::size_t first = 0);
inline void solve_transforms(const BoneModel& model, const std::vector<Eigen::Matrix3d>& axes, const Normal& normal,
                             Bones& bones, const Run& run, std::size_t first = 0) {
  solve_transforms(std::vector<BoneModel>(normal.bones, model), axes, normal, bones, run, first);
}
double energy(const Normal& normal, const Bones& bones, const Run& run);

}  // namespace marrow::lbs
