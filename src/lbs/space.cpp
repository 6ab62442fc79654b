// Kavan et al. 2010 (FSD), Section 3: reduced coordinates A = B C with orthonormal B.
// Differs: leading eigenvectors by subspace iteration on a sample of the vertices, instead of the paper's Algorithm 1.
#include "lbs/space.hpp"

#include <algorithm>
#include <cmath>

#include "core/factor.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "lbs/centred_frames.hpp"
#include "lbs/products.hpp"
#include "marrow/metrics.hpp"

namespace marrow::lbs {
namespace {

/// Most vertices used to find the basis.
constexpr std::size_t basis_sample = 2048;

void find_centres(const Sequence& sequence, Space& space, const Run& run) {
  const Ball ball = smallest_enclosing_ball(sequence.mesh.positions);
  space.radius = ball.radius > 0 ? ball.radius : 1;
  space.rest_centre = {ball.x, ball.y, ball.z};
  space.frame_centres.resize(Eigen::Index(space.frames), 3);
  parallel_for(run, space.frames, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      Eigen::Vector3d sum = Eigen::Vector3d::Zero();
      for (const Vec3& v : sequence.frame(t)) sum += Eigen::Vector3d(v.x, v.y, v.z);
      space.frame_centres.row(Eigen::Index(t)) = sum / double(sequence.vertices());
    }
  });
}

/// Leading eigenvectors and eigenvalues (descending) of a symmetric matrix, as many as leave at most `most_left` of the
/// trace.
struct Leading {
  RowMatrix vectors;
  Eigen::VectorXd values;
};

/// Passes of the subspace iteration.
constexpr int passes = 2;

/// The first `size` of them; empty if that is clearly too few.
Leading subspace_iteration(const RowMatrix& gram, Eigen::Index size, double most_left, const Run& run) {
  RowMatrix y(gram.rows(), size);
  Random random(7);
  for (double& value : y.reshaped()) value = random.uniform() - 0.5;
  RowMatrix image = transposed_product(gram, y, run);
  for (int pass = 0; pass < passes; ++pass) {
    y = orthonormal_columns(image);
    image = transposed_product(gram, y, run);
    // Another pass would hardly find what is missing now.
    if (pass == 0 && gram.trace() - y.cwiseProduct(image).sum() > 2 * most_left) return {};
  }
  const RowMatrix small = transposed_product(y, image, run);
  const Spectrum eigen = spectrum(0.5 * (small + small.transpose()));
  return {y * eigen.vectors.rowwise().reverse(), eigen.values.reverse()};
}

Leading leading_eigenvectors(const RowMatrix& gram, double most_left, const Run& run) {
  const Eigen::Index rows = gram.rows();
  const double trace = gram.trace();
  for (Eigen::Index size = 32;; size *= 2) {
    Leading found;
    if (2 * size >= rows) {
      const Spectrum eigen = spectrum(gram);
      found = {eigen.vectors.rowwise().reverse(), eigen.values.reverse()};
    } else {
      found = subspace_iteration(gram, size, most_left, run);
    }
    found.values = found.values.cwiseMax(0);
    Eigen::Index rank = 0;
    double left = trace;
    while (rank < found.values.size() && (rank == 0 || left > most_left)) left -= found.values[rank++];
    if (left > most_left && rank < rows) continue;
    found.vectors = found.vectors.leftCols(rank).eval();
    found.values.conservativeResize(rank);
    return found;
  }
}

}  // namespace

std::size_t Space::rank_for(double e_rms) const {
  std::size_t rank = 1;
  while (rank < std::size_t(basis.cols()) && dropped[Eigen::Index(rank)] > e_rms) ++rank;
  return rank;
}

Space Space::within(double e_rms) const {
  const auto rank = Eigen::Index(rank_for(e_rms));
  Space less = *this;
  less.basis = basis.leftCols(rank);
  less.transposed = transposed.topRows(rank);
  less.dropped = dropped.head(rank + 1);
  return less;
}

Space make_space(const Sequence& sequence, double tolerance, const Run& run) {
  Space space;
  space.frames = sequence.frames();
  find_centres(sequence, space, run);

  const std::size_t n = sequence.vertices(), used = std::min(n, basis_sample);
  RowMatrix sample;
  gather(
      sequence, space, used, [&](std::size_t e) { return e * n / used; }, sample);
  const RowMatrix by_vertex = sample.transpose();
  const RowMatrix gram = transposed_product(by_vertex, by_vertex, run);
  // E_RMS = 1000 sqrt(squared error / scale).
  const double scale = 3.0 * double(used * space.frames);
  Leading leading = leading_eigenvectors(gram, scale * 1e-6 * tolerance * tolerance, run);
  space.basis = std::move(leading.vectors);
  space.transposed = space.basis.transpose();
  double left = gram.trace();
  space.dropped.resize(space.basis.cols() + 1);
  for (Eigen::Index q = 0; q <= space.basis.cols(); ++q) {
    space.dropped[q] = 1000 * std::sqrt(std::max(0.0, left) / scale);
    if (q < space.basis.cols()) left -= leading.values[q];
  }
  return space;
}

}  // namespace marrow::lbs
