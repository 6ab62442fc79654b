#include <algorithm>
#include <cmath>

#include "core/factor.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "decompose/kernels/products.hpp"
#include "decompose/products.hpp"
#include "marrow/metrics.hpp"

namespace marrow::ssdr {
namespace {

/// Enough vertices to find the basis; all of them where there are no more.
constexpr std::size_t basis_sample = 2048;

/// Centred and scaled frames of the vertices index(0 .. count - 1), 3 frames x count.
template <class Index>
void gather(const Sequence& sequence, const Space& space, std::size_t count, Index index, RowMatrix& out) {
  out.resize(static_cast<Eigen::Index>(3 * space.frames), static_cast<Eigen::Index>(count));
  const double scale = 1 / space.radius;
  for (std::size_t t = 0; t < space.frames; ++t) {
    const auto frame = sequence.frame(t);
    const auto row = static_cast<Eigen::Index>(t);
    const double x = space.frame_centres(row, 0), y = space.frame_centres(row, 1), z = space.frame_centres(row, 2);
    double* to = out.data() + 3 * t * count;
    for (std::size_t k = 0; k < count; ++k) {
      const Vec3& v = frame[index(k)];
      to[k] = (v.x - x) * scale;
      to[count + k] = (v.y - y) * scale;
      to[2 * count + k] = (v.z - z) * scale;
    }
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

/// The leading eigenvectors and values of a symmetric matrix, falling, by subspace iteration: as many as leave at most
/// `most_left` of the trace.
struct Leading {
  RowMatrix vectors;
  Eigen::VectorXd values;
};

/// Of the subspace iteration.
constexpr int passes = 2;

/// `size` of them, or none where that is clearly too few.
Leading subspace_iteration(const RowMatrix& gram, Eigen::Index size, double most_left, const Run& run) {
  RowMatrix y(gram.rows(), size);
  Random random(7);
  for (double& value : y.reshaped()) value = random.uniform() - 0.5;
  RowMatrix image = transposed_product(gram, y, run);
  for (int pass = 0; pass < passes; ++pass) {
    y = orthonormal_columns(image);
    image = transposed_product(gram, y, run);
    // What is missing now will hardly be found by another pass.
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
  while (rank < static_cast<std::size_t>(basis.cols()) && dropped[static_cast<Eigen::Index>(rank)] > e_rms) ++rank;
  return rank;
}

Space Space::within(double e_rms) const {
  const auto rank = static_cast<Eigen::Index>(rank_for(e_rms));
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
      sequence, space, used, [&](std::size_t k) { return k * n / used; }, sample);
  const RowMatrix by_vertex = sample.transpose();
  const RowMatrix gram = transposed_product(by_vertex, by_vertex, run);
  // E_RMS = 1000 sqrt(squared error / scale).
  const double scale = 3.0 * static_cast<double>(used * space.frames);
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

Points make_points(const Sequence& sequence, const Space& space, std::span<const std::uint32_t> subset,
                   const Run& run) {
  Points points;
  points.count = subset.empty() ? sequence.vertices() : subset.size();
  points.rank = static_cast<std::size_t>(space.basis.cols());
  const std::size_t blocks = points.blocks(), rank = points.rank;
  points.coordinates.resize(blocks * rank * lanes);
  points.rest.resize(blocks * 3 * lanes);
  points.squared.resize(blocks * lanes);
  const auto vertex = [&](std::size_t k) {
    const std::size_t s = std::min(k, points.count - 1);
    return subset.empty() ? s : std::size_t{subset[s]};
  };
  parallel_for(run, "reducing", blocks, 32, [&](std::size_t begin, std::size_t end) {
    const std::size_t first = begin * lanes, count = (end - begin) * lanes;
    RowMatrix frames;
    gather(
        sequence, space, count, [&](std::size_t k) { return vertex(first + k); }, frames);
    std::vector<double> reduced(rank * count);
    kernels::product_kernel()(3 * space.frames, rank, count, {space.basis.data(), rank}, {frames.data(), count},
                              reduced.data(), count);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t at = first + k;
      const Vec3& p = sequence.mesh.positions[vertex(at)];
      double* rest = points.rest.data() + at / lanes * 3 * lanes + at % lanes;
      rest[0] = (p.x - space.rest_centre.x()) / space.radius;
      rest[lanes] = (p.y - space.rest_centre.y()) / space.radius;
      rest[2 * lanes] = (p.z - space.rest_centre.z()) / space.radius;
      double* out = points.coordinates.data() + at / lanes * rank * lanes + at % lanes;
      for (std::size_t q = 0; q < rank; ++q) {
        out[q * lanes] = reduced[q * count + k];
        points.squared[at] += reduced[q * count + k] * reduced[q * count + k];
      }
    }
  });
  return points;
}

Points truncated(const Points& points, std::size_t rank) {
  Points result{points.count, rank, {}, points.rest, {}};
  result.coordinates.resize(points.blocks() * rank * lanes);
  result.squared.assign(points.blocks() * lanes, 0);
  for (std::size_t b = 0; b < points.blocks(); ++b) {
    const double* from = points.block_coordinates(b);
    double* to = result.coordinates.data() + b * rank * lanes;
    std::copy(from, from + rank * lanes, to);
    for (std::size_t q = 0; q < rank; ++q) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        result.squared[b * lanes + lane] += to[q * lanes + lane] * to[q * lanes + lane];
      }
    }
  }
  return result;
}

}  // namespace marrow::ssdr
