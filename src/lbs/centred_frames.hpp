#pragma once

#include <cstddef>

#include "lbs/matrices.hpp"
#include "lbs/space.hpp"

namespace marrow::lbs {

/// Centred and scaled positions of the vertices index(0), ..., index(count - 1): 3 frames x count.
template <class Index>
void gather(const Sequence& sequence, const Space& space, std::size_t count, Index index, RowMatrix& out) {
  out.resize(Eigen::Index(3 * space.frames), Eigen::Index(count));
  const double scale = 1 / space.radius;
  for (std::size_t t = 0; t < space.frames; ++t) {
    const auto frame = sequence.frame(t);
    const auto row = Eigen::Index(t);
    const double x = space.frame_centres(row, 0), y = space.frame_centres(row, 1), z = space.frame_centres(row, 2);
    double* to = out.data() + 3 * t * count;
    for (std::size_t e = 0; e < count; ++e) {
      const Vec3& v = frame[index(e)];
      to[e] = (v.x - x) * scale;
      to[count + e] = (v.y - y) * scale;
      to[2 * count + e] = (v.z - z) * scale;
    }
  }
}

}  // namespace marrow::lbs
