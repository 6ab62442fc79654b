#include "lbs/points.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "lbs/centred_frames.hpp"
#include "lbs/dispatch.hpp"
#include "lbs/kernels/products.hpp"
#include "lbs/matrices.hpp"

namespace marrow::lbs {

Points make_points(const Sequence& sequence, const Space& space, std::span<const std::uint32_t> subset,
                   const Run& run) {
  Points points;
  points.count = subset.empty() ? sequence.vertices() : subset.size();
  points.rank = std::size_t(space.basis.cols());
  const std::size_t blocks = points.blocks(), rank = points.rank;
  points.coordinates.resize(blocks * rank * lanes);
  points.rest.resize(blocks * 3 * lanes);
  points.squared.resize(blocks * lanes);
  const auto vertex = [&](std::size_t e) {
    const std::size_t s = std::min(e, points.count - 1);
    return subset.empty() ? s : std::size_t(subset[s]);
  };
  parallel_for(run, "reducing", blocks, 32, [&](std::size_t begin, std::size_t end) {
    const std::size_t first = begin * lanes, count = (end - begin) * lanes;
    RowMatrix frames;
    gather(
        sequence, space, count, [&](std::size_t e) { return vertex(first + e); }, frames);
    std::vector<double> reduced(rank * count);
    kernels::product_kernel()(3 * space.frames, rank, count, {space.basis.data(), rank}, {frames.data(), count},
                              reduced.data(), count);
    for (std::size_t e = 0; e < count; ++e) {
      const std::size_t at = first + e;
      const Vec3& p = sequence.mesh.positions[vertex(at)];
      double* rest = points.rest.data() + at / lanes * 3 * lanes + at % lanes;
      rest[0] = (p.x - space.rest_centre.x()) / space.radius;
      rest[lanes] = (p.y - space.rest_centre.y()) / space.radius;
      rest[2 * lanes] = (p.z - space.rest_centre.z()) / space.radius;
      double* out = points.coordinates.data() + at / lanes * rank * lanes + at % lanes;
      for (std::size_t q = 0; q < rank; ++q) {
        out[q * lanes] = reduced[q * count + e];
        points.squared[at] += reduced[q * count + e] * reduced[q * count + e];
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

}  // namespace marrow::lbs
