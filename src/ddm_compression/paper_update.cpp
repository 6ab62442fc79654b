// Le et al. 2021, Section 4.3: update of the multi-weights on the linearised error. Corrected: outer products in Phi
// and Gamma, a fourth root of the determinants; steps are halved until the error falls.
#include "ddm_compression/paper_update.hpp"

#include <Eigen/LU>
#include <cmath>
#include <map>

#include "core/parallel.hpp"
#include "ddm_compression/continuous.hpp"

namespace marrow::ddm_compression {
namespace {

constexpr int halvings = 12;
constexpr double least_share = 1e-4;  // least ww of a multi-weight, as a share of the sum

using Members = std::vector<std::pair<std::uint32_t, double>>;

std::vector<Members> members_of(const DistinctPoints& points, const Fit& fit) {
  std::vector<Members> out(fit.bone_count());
  for (std::size_t i = 0; i < points.count(); ++i) {
    for (const Influence& a : fit.row(i)) {
      out[a.bone].emplace_back(std::uint32_t(i), points.mass[i] * a.weight);
    }
  }
  return out;
}

void add_to(std::map<std::uint32_t, Matrix4>& sums, std::uint32_t bone, const Matrix4& value) {
  const auto [place, fresh] = sums.emplace(bone, value);
  if (!fresh) place->second += value;
}

/// One step. The printed rule replaces Phi^-1 (sum Delta) by det(sum Delta) / det(Phi). If that product is c times the
/// identity, its scale c is the fourth root of the ratio of determinants. Works about the bone's centre, so that
/// symmetrising is meaningful.
VirtualBone moved(const VirtualBone& bone, std::span<const MultiWeight> direction, const Matrix4& moments,
                  double share) {
  Matrix4 to_centre = Matrix4::Identity(), from_centre = Matrix4::Identity(), sum = Matrix4::Zero();
  to_centre.topRightCorner<3, 1>() = -bone.centre;
  from_centre.topRightCorner<3, 1>() = bone.centre;
  for (const MultiWeight& w : bone.weights) sum += w.value;
  const Matrix4 local = to_centre * moments * to_centre.transpose();
  const double scale = share * std::pow(std::abs(sum.determinant() / local.determinant()), 0.25);
  std::map<std::uint32_t, Matrix4> weights;
  for (const MultiWeight& w : bone.weights) weights.emplace(w.bone, w.value);
  for (const MultiWeight& d : direction) {
    // Directions are like Delta' Phi: about the centre they are C^-1 D C^-T.
    const Matrix4 step = scale * to_centre * d.value * to_centre.transpose();
    add_to(weights, d.bone, (step + step.transpose()) / 2);
  }
  VirtualBone out{bone.centre, {}};
  for (const auto& [j, value] : weights) out.weights.push_back({j, value});
  merge_small(out, least_share, out.weights.size());
  return out;
}

}  // namespace

std::vector<MultiWeight> descent_direction(const DistinctPoints& points, const Fit& fit, const Matrix& moments,
                                           std::span<const std::uint32_t> neighbours, std::size_t bone,
                                           std::span<const std::pair<std::uint32_t, double>> members) {
  std::map<std::uint32_t, Matrix4> sums;
  for (const auto& [i, weight] : members) {
    const Vector4 u = points.rest.col(to_index(i));
    for (const MultiWeight& w : linearise(points.centres[i], points.row(i))) {
      add_to(sums, w.bone, weight * w.value * u * u.transpose());
    }
  }
  for (const std::uint32_t l : neighbours) {
    const Matrix4 phi = moments.block<4, 4>(4 * to_index(l), 4 * to_index(bone));
    for (const MultiWeight& w : linearise(fit.bones[l].centre, fit.bones[l].weights)) {
      add_to(sums, w.bone, -w.value * phi);
    }
  }
  std::vector<MultiWeight> out;
  out.reserve(sums.size());
  for (const auto& [j, value] : sums) out.push_back({j, value});
  return out;
}

void update_multi_weights(const DistinctPoints& points, const LinearExamples& examples, Fit& fit, const Run& run) {
  const Coupling coupling = couple(points, examples, fit, points.mass, run);
  const std::vector<Members> members = members_of(points, fit);
  for (const std::vector<std::uint32_t>& colour : coupling.colours) {
    parallel_for(run, colour.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c) {
        const std::uint32_t k = colour[c];
        const Matrix4 moments = coupling.moments.block<4, 4>(4 * to_index(k), 4 * to_index(k));
        // Too few points: skipped, to be re-initialised (the paper's epsilon).
        if (!(moments(3, 3) > 0) || members[k].size() < 4) continue;
        const auto direction = descent_direction(points, fit, coupling.moments, coupling.neighbours[k], k, members[k]);
        const Matrix before = fit.transform(k), lacking = missing(coupling, fit, k);
        Matrix after(before.rows(), 4);
        for (int h = 0; h < halvings; ++h) {
          VirtualBone trial = moved(fit.bones[k], direction, moments, std::pow(0.5, h));
          if (!normalise(trial) || roundness(trial) < least_spread) continue;
          examples.transform(trial, after);
          if (!(gain(moments, lacking, after - before) > 0)) continue;
          fit.bones[k] = std::move(trial);
          fit.transform(k) = after;
          break;
        }
      }
    });
  }
}

}  // namespace marrow::ddm_compression
