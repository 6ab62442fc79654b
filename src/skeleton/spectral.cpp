// de Aguiar et al. 2008 (III), Hasler et al. 2010 (IV): spectral clusters of patches that keep their distances or
// rotate alike, by k-means on eigenvectors. Differs: at most 300 patches and 32 frames; given number of clusters.
#include "skeleton/spectral.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/factor.hpp"
#include "core/parallel.hpp"

namespace marrow::skeleton {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr int most_rounds = 50;

/// Standard deviation over the frames of the distance between two patches' seeds.
MatrixXd distance_changes(const Patches& patches, const Positions& positions, const Run& run) {
  const std::size_t count = patches.count();
  MatrixXd out = MatrixXd::Zero(Index(count), Index(count));
  parallel_for(run, count, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      for (std::size_t b = 0; b < count; ++b) {
        double sum = 0, squared = 0;
        for (const auto& frame : positions.frames) {
          const double d = (frame.col(patches.seeds[a]) - frame.col(patches.seeds[b])).norm();
          sum += d;
          squared += d * d;
        }
        const auto n = double(positions.frames.size());
        out(Index(a), Index(b)) = std::sqrt(std::max(0.0, squared / n - sum / n * sum / n));
      }
    }
  });
  return out;
}

/// Mean over the frames of the angle between two patches' rotations.
MatrixXd turn_differences(const Patches& patches, const Positions& positions, const Run& run) {
  const std::size_t count = patches.count(), frames = positions.frames.size();
  std::vector<std::vector<Eigen::Quaterniond>> turns(count);
  MatrixXd out = MatrixXd::Zero(Index(count), Index(count));
  parallel_for(run, count, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      // A single patch is too small for a reliable rotation: include its neighbours.
      std::vector<std::uint32_t> members = patches.members[a];
      for (const std::uint32_t b : patches.next[a]) {
        members.insert(members.end(), patches.members[b].begin(), patches.members[b].end());
      }
      const RigidSums sums = sums_of(positions, members);
      for (std::size_t t = 0; t < frames; ++t) turns[a].emplace_back(sums.rotation(t));
    }
  });
  parallel_for(run, count, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      for (std::size_t b = 0; b < count; ++b) {
        double sum = 0;
        for (std::size_t t = 0; t < frames; ++t) sum += turns[a][t].angularDistance(turns[b][t]);
        out(Index(a), Index(b)) = sum / double(frames);
      }
    }
  });
  return out;
}

/// Unit rows of the leading eigenvectors of D^-1/2 A D^-1/2, with A = exp(-(d / s)^2 / 2) and s the lower quartile of
/// the differences.
MatrixXd embed(const MatrixXd& differences, std::size_t count) {
  std::vector<double> all(differences.data(), differences.data() + differences.size());
  const auto quartile = all.begin() + std::ptrdiff_t(all.size() / 4);
  std::ranges::nth_element(all, quartile);
  const double scale = std::max(1e-12, *quartile);
  const MatrixXd affinity = (-0.5 * (differences / scale).array().square()).exp();
  const Eigen::VectorXd degree = affinity.rowwise().sum().cwiseSqrt().cwiseInverse();
  const MatrixXd normalised = degree.asDiagonal() * affinity * degree.asDiagonal();
  MatrixXd rows = spectrum(normalised).vectors.rightCols(Index(count));
  rows.rowwise().normalize();
  return rows;
}

/// Initial centres by farthest-point sampling.
MatrixXd first_centres(const MatrixXd& rows, std::size_t count) {
  MatrixXd centres(Index(count), rows.cols());
  Eigen::VectorXd nearest = Eigen::VectorXd::Constant(rows.rows(), std::numeric_limits<double>::infinity());
  Index next = 0;
  for (Index c = 0; c < centres.rows(); ++c) {
    centres.row(c) = rows.row(next);
    nearest = nearest.cwiseMin((rows.rowwise() - centres.row(c)).rowwise().squaredNorm());
    nearest.maxCoeff(&next);
  }
  return centres;
}

/// Gives every empty cluster the row farthest from its centre, taken from clusters with more than one row.
void fill_empty(const MatrixXd& rows, const MatrixXd& centres, std::vector<Index>& labels) {
  std::vector<Index> members(std::size_t(centres.rows()), 0);
  for (const Index label : labels) ++members[std::size_t(label)];
  for (std::size_t e = 0; e < members.size(); ++e) {
    if (members[e] > 0) continue;
    std::size_t furthest = 0;
    double most = -1;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (members[std::size_t(labels[i])] < 2) continue;
      const double distance = (rows.row(Index(i)) - centres.row(labels[i])).squaredNorm();
      if (distance <= most) continue;
      most = distance;
      furthest = i;
    }
    --members[std::size_t(labels[furthest])];
    labels[furthest] = Index(e);
    members[e] = 1;
  }
}

/// k-means; count <= number of rows.
std::vector<std::uint32_t> k_means(const MatrixXd& rows, std::size_t count) {
  MatrixXd centres = first_centres(rows, count);
  std::vector<Index> labels(std::size_t(rows.rows()), -1);
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<Index> before = labels;
    for (Index i = 0; i < rows.rows(); ++i) {
      (centres.rowwise() - rows.row(i)).rowwise().squaredNorm().minCoeff(&labels[std::size_t(i)]);
    }
    fill_empty(rows, centres, labels);
    if (labels == before) break;
    centres.setZero();
    Eigen::VectorXd members = Eigen::VectorXd::Zero(centres.rows());
    for (Index i = 0; i < rows.rows(); ++i) {
      centres.row(labels[std::size_t(i)]) += rows.row(i);
      members[labels[std::size_t(i)]] += 1;
    }
    for (Index c = 0; c < centres.rows(); ++c) centres.row(c) /= members[c];
  }
  return {labels.begin(), labels.end()};
}

}  // namespace

std::vector<std::uint32_t> spectral_clusters(SkeletonMethod method, const Patches& patches, const Positions& positions,
                                             std::size_t count, const Run& run) {
  const MatrixXd differences = method == SkeletonMethod::aguiar ? distance_changes(patches, positions, run)
                                                                : turn_differences(patches, positions, run);
  return k_means(embed(0.5 * (differences + differences.transpose()), count), count);
}

}  // namespace marrow::skeleton
