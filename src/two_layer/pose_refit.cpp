#include "two_layer/pose_refit.hpp"

#include <algorithm>

#include "core/factor.hpp"
#include "decompose/rest_pose.hpp"
#include "decompose/to_rig.hpp"
#include "marrow/metrics.hpp"

namespace marrow::two_layer {
namespace {

/// E_RMS that the reduced coordinates of the target may lose.
constexpr double tolerance = 0.01;
/// Over the bones, each time.
constexpr int sweeps = 3;
/// Of floats, as a share of the size: positions keep to their limit in files too.
constexpr double limit_rounding = 1e-6;
/// Singular values that differ by less are equal.
constexpr double same_scale = 1e-4;

/// What the bones of a motion do beyond moving.
ssdr::Model kind_of(const Motion& motion) {
  double largest = 1, uneven = 1;
  for (const Affine& transform : motion.transforms) {
    Eigen::Matrix3d linear;
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) linear(Eigen::Index(r), Eigen::Index(c)) = transform(r, c);
    }
    const Eigen::Vector3d s = signed_svd(linear).s;
    const double least = std::max(std::abs(s[2]), 1 / ssdr::widest_limit);
    largest = std::max({largest, s[0], 1 / least});
    uneven = std::max(uneven, s[0] / least);
  }
  if (largest < 1 + same_scale) return {BoneKind::rigid};
  return {uneven < 1 + same_scale ? BoneKind::scale : BoneKind::flexible, largest};
}

/// What both layers blend to, per vertex: calls `row(i, values)`.
template <class Row>
void for_each_blend(const Dictionary& dictionary, const Coding& coding, const Row& row) {
  std::vector<double> values(dictionary.bones);
  for (std::size_t i = 0; i < coding.size(); ++i) {
    std::fill(values.begin(), values.end(), 0.0);
    for (std::uint32_t s = 0; s < coding[i].count; ++s) {
      const float* d = dictionary.row(coding[i].atoms[s]);
      for (std::size_t x = 0; x < values.size(); ++x) values[x] += double(coding[i].values[s]) * d[x];
    }
    row(i, values);
  }
}

ssdr::SlotWeights blended(const Dictionary& dictionary, const Coding& coding, std::size_t blocks) {
  ssdr::SlotWeights result;
  result.resize(blocks, dictionary.bones);
  for_each_blend(dictionary, coding, [&](std::size_t i, const std::vector<double>& values) {
    std::uint32_t& used = result.used[i];
    for (std::uint32_t x = 0; x < values.size(); ++x) {
      if (values[x] == 0) continue;
      result.bones[i * result.influences + used] = x;
      result.values[i * result.influences + used++] = values[x];
    }
  });
  return result;
}

}  // namespace

PoseRefit::PoseRefit(const Rig& rig, const Sequence& target, Refit what, const Run& run)
    : rig_(rig),
      target_(target),
      run_(run),
      move_bones_(what == Refit::all),
      space_(ssdr::make_space(target, tolerance, run)),
      points_(ssdr::make_points(target, space_, {}, run)),
      model_(kind_of(rig.motion)),
      limit_(std::max((refit_rest_limit - limit_rounding) * size_of(rig.mesh.positions) / space_.radius, 1e-9)),
      axes_(rig.bones(), Eigen::Matrix3d::Identity()),
      bones_(ssdr::to_bones(space_, rig.motion)) {
  reduction::set_rest(rig, space_, points_);
  rest_ = points_.rest;
}

void PoseRefit::update(const Dictionary& dictionary, const Coding& coding) {
  const ssdr::SlotWeights weights = blended(dictionary, coding, points_.blocks());
  if (move_bones_) move_bones(weights);
  ssdr::solve_rest_pose(space_, points_, bones_, weights, limit_, rest_, run_);
  for (std::size_t i = 0; i < points_.count; ++i) {
    const Eigen::Vector3d p = space_.radius * ssdr::rest_of(rest_, i) + space_.rest_centre;
    rig_.mesh.positions[i] = {float(p.x()), float(p.y()), float(p.z())};
  }
}

void PoseRefit::move_bones(const ssdr::SlotWeights& weights) {
  const ssdr::Normal normal = ssdr::accumulate(space_, points_, rest_, weights, rig_.bones(), run_);
  for (int sweep = 0; sweep < sweeps; ++sweep) ssdr::solve_transforms(model_, axes_, normal, bones_, run_);
  rig_.motion = ssdr::to_motion(space_, rig_.motion.timeline, bones_);
}

double PoseRefit::error(const Dictionary& dictionary, const Coding& coding) const {
  const ssdr::SlotWeights weights = blended(dictionary, coding, points_.blocks());
  return ssdr::energy(ssdr::accumulate(space_, points_, rest_, weights, rig_.bones(), run_), bones_, run_);
}

PoseMetric PoseRefit::metric(const DenseWeights& weights, const Dictionary& dictionary, const Coding& coding) const {
  const reduction::PoseProblem problem(rig_, rig_.motion, &target_, run_);
  const double radii = space_.radius / problem.space.radius;  // the smallest ball is another one now
  PoseMetric::RestFreedom freedom{{weights.vertices, weights.bones, std::vector<float>(weights.values.size())},
                                  std::vector<Eigen::Vector3d>(weights.vertices),
                                  limit_ * radii};
  for_each_blend(dictionary, coding, [&](std::size_t i, const std::vector<double>& values) {
    std::copy(values.begin(), values.end(), freedom.blends.values.begin() + std::ptrdiff_t(i * values.size()));
    freedom.moved[i] = radii * (ssdr::rest_of(rest_, i) - ssdr::rest_of(points_.rest, i));
  });
  return PoseMetric(weights, problem, run_, &freedom);
}

}  // namespace marrow::two_layer
