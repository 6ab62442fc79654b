// Kavan et al. 2010 (FSD), Section 4.3: rest positions by a 3 x 3 linear system per vertex, with bones and weights
// fixed. Differs: an optional limit on the displacement, solved exactly on the sphere.
#include "lbs/rest_pose.hpp"

#include <cmath>

#include "core/factor.hpp"
#include "core/parallel.hpp"
#include "lbs/bone_tables.hpp"
#include "lbs/bones.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"

namespace marrow::lbs {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::Vector4d;

/// Minimiser of x^T G x - 2 g^T x on the sphere |x| = radius, for positive definite G whose free minimiser lies
/// outside: (G + m 1) x = g, bisection on m.
Vector3d on_sphere(const Matrix3d& g_matrix, const Vector3d& g, double radius) {
  const Spectrum3 eigen = spectrum3(g_matrix);
  const Vector3d turned = eigen.vectors.transpose() * g, values = eigen.values.cwiseMax(0);
  const auto at = [&](double m) -> Vector3d { return turned.array() / (values.array() + m); };
  double low = 0, high = turned.norm() / radius;
  for (int step = 0; step < 60 && high - low > 1e-12 * high; ++step) {
    const double middle = 0.5 * (low + high);
    (at(middle).norm() > radius ? low : high) = middle;
  }
  return eigen.vectors * at(high);
}

}  // namespace

void solve_rest_pose(const Space& space, const Points& points, const Bones& bones, const SlotWeights& weights,
                     double limit, std::vector<double>& rest, const Run& run) {
  const BoneTables tables(space, bones, points.rank, weights.influences, run);
  const std::size_t most = weights.influences, rank = points.rank;
  parallel_for(run, points.count, 128, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t* bone = weights.bones.data() + i * most;
      const double* w = weights.values.data() + i * most;
      const double* c = points.block_coordinates(i / lanes) + i % lanes;
      double gram[10] = {};
      Vector3d g = Vector3d::Zero();
      for (std::size_t a = 0; a < weights.used[i]; ++a) {
        for (std::size_t b = 0; b < weights.used[i]; ++b) {
          for (std::size_t q = 0; q < 10; ++q) gram[q] += w[a] * w[b] * tables.gram(bone[a], q, bone[b]);
        }
        Vector4d sum = Vector4d::Zero();
        for (std::size_t q = 0; q < rank; ++q) sum += tables.projection(bone[a], q) * c[q * lanes];
        g += w[a] * sum.head<3>();
      }
      Matrix3d m;
      m << gram[0], gram[1], gram[2], gram[1], gram[4], gram[5], gram[2], gram[5], gram[7];
      g -= Vector3d(gram[3], gram[6], gram[8]);
      // Relative to the given position; directions that the frames do not determine stay.
      const Vector3d given = rest_of(points.rest, i);
      m.diagonal().array() += 1e-9 * m.trace() + 1e-300;
      g -= m * given;
      Vector3d x = m.ldlt().solve(g);
      if (!x.allFinite()) continue;
      if (limit > 0 && x.norm() > limit) x = on_sphere(m, g, limit);
      double* out = rest.data() + i / lanes * 3 * lanes + i % lanes;
      for (std::size_t r = 0; r < 3; ++r) out[r * lanes] = given[Eigen::Index(r)] + x[Eigen::Index(r)];
    }
  });
}

}  // namespace marrow::lbs
