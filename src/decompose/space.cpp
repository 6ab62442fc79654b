#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.hpp"
#include "decompose/types.hpp"
#include "marrow/metrics.hpp"

namespace marrow::ssdr {
namespace {

/// Enough vertices to find the basis; all of them where there are no more.
constexpr std::size_t basis_sample = 4096;

/// Centred and scaled frames of one vertex, 3 frames long.
template <class Out>
void gather(const Sequence& sequence, const Space& space, std::size_t i, Out&& out) {
  for (std::size_t t = 0; t < space.frames; ++t) {
    const Vec3& v = sequence.frame(t)[i];
    const auto row = static_cast<Eigen::Index>(t);
    out[3 * row] = (v.x - space.frame_centres(row, 0)) / space.radius;
    out[3 * row + 1] = (v.y - space.frame_centres(row, 1)) / space.radius;
    out[3 * row + 2] = (v.z - space.frame_centres(row, 2)) / space.radius;
  }
}

void find_centres(const Sequence& sequence, Space& space, const Run& run) {
  const Ball ball = smallest_enclosing_ball(sequence.mesh.positions);
  space.radius = ball.radius > 0 ? ball.radius : 1;
  space.rest_centre = {ball.x, ball.y, ball.z};
  space.frame_centres.resize(static_cast<Eigen::Index>(space.frames), 3);
  parallel_for(run, space.frames, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      Eigen::Vector3d sum = Eigen::Vector3d::Zero();
      for (const Vec3& v : sequence.frame(t)) sum += Eigen::Vector3d(v.x, v.y, v.z);
      space.frame_centres.row(static_cast<Eigen::Index>(t)) = sum / static_cast<double>(sequence.vertices());
    }
  });
}

}  // namespace

Space make_space(const Sequence& sequence, double tolerance, const Run& run) {
  Space space;
  space.frames = sequence.frames();
  find_centres(sequence, space, run);

  const std::size_t n = sequence.vertices(), used = std::min(n, basis_sample);
  const auto rows = static_cast<Eigen::Index>(3 * space.frames);
  Eigen::MatrixXd sample(rows, static_cast<Eigen::Index>(used));
  for (std::size_t s = 0; s < used; ++s) {
    gather(sequence, space, s * n / used, sample.col(static_cast<Eigen::Index>(s)));
  }
  const Eigen::MatrixXd gram = sample * sample.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(gram);
  // Ascending eigenvalues: the tail sums are what is lost.
  const Eigen::VectorXd values = eigen.eigenvalues().cwiseMax(0);
  const double scale = 3.0 * static_cast<double>(used * space.frames);
  Eigen::Index rank = rows;
  double lost = 0;
  while (rank > 1 && 1000 * std::sqrt((lost + values[rows - rank]) / scale) <= tolerance) lost += values[rows - rank--];
  space.basis = eigen.eigenvectors().rightCols(rank).rowwise().reverse();
  space.dropped.resize(rank + 1);
  for (Eigen::Index q = rank; q >= 0; --q) {
    space.dropped[q] = 1000 * std::sqrt(lost / scale);
    if (q > 0) lost += values[rows - q];
  }
  return space;
}

Points make_points(const Sequence& sequence, const Space& space, std::span<const std::uint32_t> subset,
                   const Run& run) {
  Points points;
  points.count = subset.empty() ? sequence.vertices() : subset.size();
  const auto rank = space.basis.cols();
  points.rank = static_cast<std::size_t>(rank);
  const std::size_t blocks = points.blocks();
  points.coordinates.resize(blocks * points.rank * lanes);
  points.rest.resize(blocks * 3 * lanes);
  points.squared.resize(blocks * lanes);
  parallel_for(run, "reducing", blocks, 32, [&](std::size_t begin, std::size_t end) {
    Eigen::MatrixXd frames(space.basis.rows(), static_cast<Eigen::Index>((end - begin) * lanes));
    for (std::size_t k = begin * lanes; k < end * lanes; ++k) {
      const std::size_t s = std::min(k, points.count - 1), i = subset.empty() ? s : subset[s];
      gather(sequence, space, i, frames.col(static_cast<Eigen::Index>(k - begin * lanes)));
      const Vec3& p = sequence.mesh.positions[i];
      double* rest = points.rest.data() + k / lanes * 3 * lanes + k % lanes;
      rest[0] = (p.x - space.rest_centre.x()) / space.radius;
      rest[lanes] = (p.y - space.rest_centre.y()) / space.radius;
      rest[2 * lanes] = (p.z - space.rest_centre.z()) / space.radius;
    }
    const Eigen::MatrixXd reduced = space.basis.transpose() * frames;
    for (std::size_t k = begin * lanes; k < end * lanes; ++k) {
      const auto column = reduced.col(static_cast<Eigen::Index>(k - begin * lanes));
      double* out = points.coordinates.data() + (k / lanes) * points.rank * lanes + k % lanes;
      for (Eigen::Index q = 0; q < rank; ++q) out[static_cast<std::size_t>(q) * lanes] = column[q];
      points.squared[k] = column.squaredNorm();
    }
  });
  return points;
}

}  // namespace marrow::ssdr
