// Le & Deng 2012 (SSDR), Section 3.1: k-means of the vertices, one rigid bone (Kabsch) per cluster. Differs: starts
// with one cluster and splits the worst at its worst vertex, instead of starting with random clusters.
#include "decomposition/initialise.hpp"

#include <algorithm>
#include <numeric>

#include "core/parallel.hpp"
#include "core/polar.hpp"
#include "lbs/bone_tables.hpp"
#include "lbs/bones.hpp"
#include "lbs/dispatch.hpp"
#include "lbs/linear_fit.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"
#include "lbs/transforms.hpp"

namespace marrow::decomposition {
namespace {

/// Assignment of every point to one bone.
struct Clusters {
  lbs::SlotWeights weights;
  std::size_t bones = 0;

  explicit Clusters(std::size_t blocks) {
    weights.resize(blocks, 1);
    std::ranges::fill(weights.values, 1.0);
    std::ranges::fill(weights.used, 1u);
  }
  std::uint32_t& label(std::size_t i) { return weights.bones[i]; }
  double error(std::size_t i) const { return weights.errors[i]; }
};

void assign(const lbs::Space& space, const lbs::Points& points, const lbs::Bones& bones, Clusters& clusters,
            const Run& run) {
  const lbs::BoneTables tables(space, bones, points.rank, 1, run);
  const std::size_t count = lbs::bone_count(bones);
  parallel_for(run, points.blocks(), 16, [&](std::size_t begin, std::size_t end) {
    std::vector<double> errors((count + 1) * lbs::lanes);
    for (std::size_t b = begin; b < end; ++b) {
      kernels::weight_kernels().single_errors(tables.problem(), points.block_coordinates(b),
                                              points.rest.data() + b * 3 * lbs::lanes,
                                              points.squared.data() + b * lbs::lanes, errors.data());
      for (std::size_t lane = 0; lane < lbs::lanes; ++lane) {
        std::size_t best = 0;
        for (std::size_t j = 1; j < count; ++j) {
          if (errors[j * lbs::lanes + lane] < errors[best * lbs::lanes + lane]) best = j;
        }
        clusters.weights.bones[b * lbs::lanes + lane] = std::uint32_t(best);
        clusters.weights.errors[b * lbs::lanes + lane] = errors[best * lbs::lanes + lane];
      }
    }
  });
}

/// The point of cluster j with the largest error, averaged with its neighbours in the cluster.
std::size_t worst_point(const lbs::Points& points, const Neighbours& neighbours, Clusters& clusters, std::uint32_t j) {
  std::size_t worst = points.count;
  double most = -1;
  for (std::size_t i = 0; i < points.count; ++i) {
    if (clusters.label(i) != j) continue;
    double sum = clusters.error(i), members = 1;
    for (const std::uint32_t u : neighbours.of(i)) {
      if (clusters.label(u) != j) continue;
      sum += clusters.error(u);
      ++members;
    }
    if (sum / members > most) {
      most = sum / members;
      worst = i;
    }
  }
  return worst;
}

std::uint32_t worst_cluster(const lbs::Points& points, Clusters& clusters, std::size_t bones) {
  std::vector<double> total(bones, 0);
  for (std::size_t i = 0; i < points.count; ++i) total[clusters.label(i)] += clusters.error(i);
  return std::uint32_t(std::ranges::max_element(total) - total.begin());
}

}  // namespace

std::vector<std::uint32_t> patch(const lbs::Points& points, const Neighbours& neighbours, std::size_t seed,
                                 std::size_t size) {
  std::vector<std::uint32_t> members{std::uint32_t(seed)};
  std::vector<bool> seen(points.count);
  seen[seed] = true;
  for (std::size_t head = 0; head < members.size() && members.size() < size; ++head) {
    for (const std::uint32_t u : neighbours.of(members[head])) {
      if (seen[u]) continue;
      seen[u] = true;
      members.push_back(u);
    }
  }
  if (members.size() < size && members.size() < points.count) {
    std::vector<std::uint32_t> others;
    for (std::uint32_t i = 0; i < points.count; ++i) {
      if (!seen[i]) others.push_back(i);
    }
    const Eigen::Vector3d centre = lbs::rest_of(points.rest, seed);
    const auto nearer = [&](std::uint32_t a, std::uint32_t b) {
      const double da = (lbs::rest_of(points.rest, a) - centre).squaredNorm(),
                   db = (lbs::rest_of(points.rest, b) - centre).squaredNorm();
      return da != db ? da < db : a < b;
    };
    const std::size_t missing = std::min(size - members.size(), others.size());
    std::ranges::nth_element(others, others.begin() + std::ptrdiff_t(missing), nearer);
    members.insert(members.end(), others.begin(), others.begin() + std::ptrdiff_t(missing));
  }
  return members;
}

void fit_patch(const lbs::Space& space, const lbs::Points& points, const Neighbours& neighbours, std::size_t seed,
               std::size_t size, Eigen::Ref<lbs::Bones> bone) {
  const std::vector<std::uint32_t> members = patch(points, neighbours, seed, size);
  // Kabsch: centred covariance of the patch per frame, from reduced coordinates.
  const auto rank = Eigen::Index(points.rank);
  Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(rank, 4);
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  for (const std::uint32_t i : members) {
    const double* c = points.block_coordinates(i / lbs::lanes) + i % lbs::lanes;
    const Eigen::Map<const Eigen::VectorXd, 0, Eigen::InnerStride<int(lbs::lanes)>> column(c, rank);
    const Eigen::Vector3d p = lbs::rest_of(points.rest, i);
    for (int r = 0; r < 3; ++r) moments.col(r) += p[r] * column;
    moments.col(3) += column;
    centre += p;
  }
  const auto count = double(members.size());
  centre /= count;
  const Eigen::MatrixXd y = space.transposed.topRows(rank).transpose() * moments;
  for (Eigen::Index t = 0; t < bone.rows() / 3; ++t) {
    const Eigen::Vector3d sum = y.block<3, 1>(3 * t, 3);
    const Eigen::Matrix3d a = y.block<3, 3>(3 * t, 0) - sum * centre.transpose();
    const Eigen::Matrix3d r = nearest_rotation(a, Eigen::Matrix3d::Identity());
    bone.block<3, 3>(3 * t, 0) = r;
    bone.block<3, 1>(3 * t, 3) = sum / count - r * centre;
  }
}

lbs::Bones grow_bones(const lbs::Space& space, const lbs::Points& points, const Neighbours& neighbours,
                      std::size_t count, const Growth& growth, const Run& run) {
  Clusters clusters(points.blocks());
  lbs::Bones bones = lbs::identity_bones(space.frames, 1);
  const std::size_t patch_size = std::max<std::size_t>(20, points.count / (growth.patch_share * count));
  for (;;) {
    const std::size_t now = lbs::bone_count(bones);
    for (int pass = 0; pass < (now == 1 ? 1 : growth.passes); ++pass) {
      const lbs::Normal normal = lbs::accumulate(space, points, points.rest, clusters.weights, now, run);
      lbs::solve_transforms(lbs::BoneModel{}, std::vector<Eigen::Matrix3d>(now), normal, bones, run);
      assign(space, points, bones, clusters, run);
    }
    if (now == count) return bones;
    const std::size_t seed = worst_point(points, neighbours, clusters, worst_cluster(points, clusters, now));
    bones.conservativeResize(Eigen::NoChange, Eigen::Index(4 * (now + 1)));
    fit_patch(space, points, neighbours, seed, patch_size, bones.rightCols<4>());
    assign(space, points, bones, clusters, run);
    run.report({.stage = "placing bones", .fraction = double(now) / double(count)});
  }
}

}  // namespace marrow::decomposition
