#include "ddm_compression/virtual_bone.hpp"

#include <algorithm>
#include <map>

#include "core/eigen_affine.hpp"
#include "core/factor.hpp"

namespace marrow::ddm_compression {
namespace {

Matrix4 sum_of(const VirtualBone& bone) {
  Matrix4 sum = Matrix4::Zero();
  for (const MultiWeight& w : bone.weights) sum += w.value;
  return sum;
}

Vector3 spread_of(const VirtualBone& bone) {
  const Eigen::Matrix3d a = sum_of(bone).topLeftCorner<3, 3>();
  return spectrum3(a).values;
}

}  // namespace

VirtualBone mean_bone(const DistinctPoints& points, std::span<const std::uint32_t> members,
                      std::span<const double> shares) {
  VirtualBone bone;
  for (std::size_t k = 0; k < members.size(); ++k) bone.centre += shares[k] * points.centres[members[k]];
  std::map<std::uint32_t, Matrix4> sums;
  for (std::size_t k = 0; k < members.size(); ++k) {
    const Vector3 by = bone.centre - points.centres[members[k]];
    for (const MultiWeight& w : points.row(members[k])) {
      const Matrix4 part = shares[k] * about(w.value, by);
      const auto [place, fresh] = sums.emplace(w.bone, part);
      if (!fresh) place->second += part;
    }
  }
  for (const auto& [j, value] : sums) bone.weights.push_back({j, value});
  normalise(bone);
  return bone;
}

bool normalise(VirtualBone& bone) {
  const Matrix4 sum = sum_of(bone);
  if (!(sum(3, 3) > 0)) return false;
  const Vector3 by = sum.topRightCorner<3, 1>() / sum(3, 3);
  for (MultiWeight& w : bone.weights) w.value = about(w.value / sum(3, 3), by);
  bone.centre += by;
  return true;
}

double roundness(const VirtualBone& bone) {
  const Vector3 spread = spread_of(bone);
  return spread[2] > 0 ? spread[0] / spread[2] : 0;
}

void round_off(VirtualBone& bone, double least) {
  const Vector3 spread = spread_of(bone);
  // Solves (low + ball) / (high + ball) = least.
  const double ball = std::max((least * spread[2] - spread[0]) / (1 - least), 0.0);
  if (!(ball > 0)) return;
  for (MultiWeight& w : bone.weights) w.value.diagonal().head<3>().array() += ball * w.value(3, 3);
}

void merge_small(VirtualBone& bone, double smallest, std::size_t most) {
  std::vector<double> shares;
  shares.reserve(bone.weights.size());
  for (const MultiWeight& w : bone.weights) shares.push_back(w.value(3, 3));
  std::ranges::sort(shares, std::greater<>());
  const double least = std::max(smallest, most < shares.size() ? shares[most] * (1 + 1e-12) : 0.0);
  const auto strongest = std::ranges::max_element(bone.weights, {}, [](const MultiWeight& w) { return w.value(3, 3); });
  std::vector<MultiWeight> kept;
  for (MultiWeight& w : bone.weights) {
    if (&w != &*strongest && !(w.value(3, 3) >= least)) strongest->value += w.value;
  }
  for (const MultiWeight& w : bone.weights) {
    if (&w == &*strongest || w.value(3, 3) >= least) kept.push_back(w);
  }
  bone.weights = std::move(kept);
}

void trim(VirtualBone& bone) {
  merge_small(bone, 1e-3, 12);
  round_off(bone, 2 * least_spread);
}

void store_bones(const DistinctPoints& points, std::span<const VirtualBone> bones, std::vector<Vec3>& centres,
                 MultiWeights& rows) {
  centres.clear();
  rows = {{0}, {}, {}};
  const Vector4 scale(points.size, points.size, points.size, 1);
  for (const VirtualBone& bone : bones) {
    const Vector3 p = points.size * bone.centre + points.middle;
    centres.push_back({float(p[0]), float(p[1]), float(p[2])});
    for (const MultiWeight& w : bone.weights) {
      rows.bones.push_back(w.bone);
      rows.values.push_back(to_value(scale.asDiagonal() * w.value * scale.asDiagonal()));
    }
    rows.offsets.push_back(std::uint32_t(rows.bones.size()));
  }
}

std::vector<VirtualBone> load_bones(const DistinctPoints& points, std::span<const Vec3> centres,
                                    const MultiWeights& rows) {
  std::vector<VirtualBone> bones(centres.size());
  const Vector4 scale(1 / points.size, 1 / points.size, 1 / points.size, 1);
  for (std::size_t k = 0; k < centres.size(); ++k) {
    bones[k].centre = (to_eigen(centres[k]) - points.middle) / points.size;
    for (std::uint32_t e = rows.offsets[k]; e < rows.offsets[k + 1]; ++e) {
      bones[k].weights.push_back({rows.bones[e], scale.asDiagonal() * to_matrix(rows.values[e]) * scale.asDiagonal()});
    }
    normalise(bones[k]);
  }
  return bones;
}

}  // namespace marrow::ddm_compression
