// Le & Deng 2012 (SSDR), Eqs. (5) to (10) and Algorithm 2, from sums over vertices: H_jk and N are accumulated once per
// sweep in reduced coordinates, so that the cost per frame does not depend on the number of vertices.
#include "lbs/transforms.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.hpp"
#include "lbs/products.hpp"

namespace marrow::lbs {
namespace {

/// Partial sums of a fixed part of the points.
struct Partial {
  std::vector<double> h;
  std::vector<double> reduced;  ///< [bones][4][rank]
};

/// Upper triangle of p~ p~^T.
std::array<double, 10> squares(const Eigen::Vector3d& p) {
  return {p.x() * p.x(), p.x() * p.y(), p.x() * p.z(), p.x(), p.y() * p.y(),
          p.y() * p.z(), p.y(),         p.z() * p.z(), p.z(), 1};
}

void add_vertex(const Points& points, const std::vector<double>& rest, const SlotWeights& weights, std::size_t bones,
                std::size_t i, std::vector<double>& column, Partial& sum) {
  const std::size_t rank = points.rank, most = weights.influences;
  const double* c = points.block_coordinates(i / lanes) + i % lanes;
  for (std::size_t q = 0; q < rank; ++q) column[q] = c[q * lanes];
  const Eigen::Vector3d p = rest_of(rest, i);
  const std::array<double, 10> m = squares(p);
  const double x[4] = {p.x(), p.y(), p.z(), 1};
  for (std::size_t a = 0; a < weights.used[i]; ++a) {
    const std::size_t j = weights.bones[i * most + a];
    const double w = weights.values[i * most + a];
    for (std::size_t e = 0; e < weights.used[i]; ++e) {
      const double ww = w * weights.values[i * most + e];
      double* h = sum.h.data() + (j * bones + weights.bones[i * most + e]) * 10;
      for (std::size_t q = 0; q < 10; ++q) h[q] += ww * m[q];
    }
    for (std::size_t r = 0; r < 4; ++r) {
      const double wx = w * x[r];
      double* out = sum.reduced.data() + (j * 4 + r) * rank;
      for (std::size_t q = 0; q < rank; ++q) out[q] += wx * column[q];
    }
  }
}

}  // namespace

Normal accumulate(const Space& space, const Points& points, const std::vector<double>& rest, const SlotWeights& weights,
                  std::size_t bones, const Run& run) {
  // A fixed number of parts bounds the memory of partial sums.
  const std::size_t grain = std::max<std::size_t>(512, (points.count + 15) / 16);
  std::vector<Partial> partial((points.count + grain - 1) / grain);
  parallel_for(run, points.count, grain, [&](std::size_t begin, std::size_t end) {
    Partial& sum = partial[begin / grain];
    sum.h.assign(bones * bones * 10, 0);
    sum.reduced.assign(bones * 4 * points.rank, 0);
    std::vector<double> column(points.rank);
    for (std::size_t i = begin; i < end; ++i) add_vertex(points, rest, weights, bones, i, column, sum);
  });
  for (std::size_t s = 1; s < partial.size(); ++s) {
    for (std::size_t q = 0; q < partial[0].h.size(); ++q) partial[0].h[q] += partial[s].h[q];
    for (std::size_t q = 0; q < partial[0].reduced.size(); ++q) partial[0].reduced[q] += partial[s].reduced[q];
  }
  Normal normal;
  normal.bones = bones;
  normal.h = std::move(partial[0].h);
  const auto rank = Eigen::Index(points.rank);
  const Eigen::Map<const RowMatrix> reduced(partial[0].reduced.data(), Eigen::Index(4 * bones), rank);
  normal.n = transposed_product(space.transposed.topRows(rank), reduced.transpose(), run);
  for (std::size_t i = 0; i < points.count; ++i) normal.squared += points.squared[i];
  return normal;
}

Normal with_joints(Normal normal, std::span<const JointSpring> joints) {
  for (const JointSpring& joint : joints) {
    const std::array<double, 10> m = squares(joint.point);
    const auto add = [&](std::size_t j, std::size_t l, double stiffness) {
      for (std::size_t q = 0; q < 10; ++q) normal.h[(j * normal.bones + l) * 10 + q] += stiffness * m[q];
    };
    add(joint.a, joint.a, joint.stiffness);
    add(joint.b, joint.b, joint.stiffness);
    add(joint.a, joint.b, -joint.stiffness);
    add(joint.b, joint.a, -joint.stiffness);
  }
  return normal;
}

void solve_transforms(std::span<const BoneModel> models, const std::vector<Eigen::Matrix3d>& axes, const Normal& normal,
                      Bones& bones, const Run& run, std::size_t first) {
  const std::size_t count = normal.bones, frames = std::size_t(bones.rows() / 3);
  std::vector<Eigen::Matrix4d> blocks(count * count);
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t l = 0; l < count; ++l) blocks[j * count + l] = normal.block(j, l);
  }
  parallel_for(run, frames, 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const auto row = Eigen::Index(3 * t);
      for (std::size_t j = first; j < count; ++j) {
        if (!normal.linked(j, j)) continue;
        const auto column = Eigen::Index(4 * j);
        Matrix34 y = normal.n.block<3, 4>(row, column);
        for (std::size_t l = 0; l < count; ++l) {
          if (l == j || !normal.linked(j, l)) continue;
          y.noalias() -= bones.block<3, 4>(row, Eigen::Index(4 * l)) * blocks[l * count + j];
        }
        // SSDR, Eqs. (8) to (10), from sums: centre, fit, translation.
        const Eigen::Matrix4d& h = blocks[j * count + j];
        const Eigen::Vector3d centre = h.block<3, 1>(0, 3) / h(3, 3), target = y.col(3) / h(3, 3);
        const Eigen::Matrix3d a = y.leftCols<3>() - y.col(3) * centre.transpose();
        const Eigen::Matrix3d spread = h.topLeftCorner<3, 3>() - h(3, 3) * centre * centre.transpose();
        const Eigen::Matrix3d linear = fit_linear(models[j], a, spread, axes[j], bones.block<3, 3>(row, column));
        bones.block<3, 3>(row, column) = linear;
        bones.block<3, 1>(row, column + 3) = target - linear * centre;
      }
    }
  });
}

double energy(const Normal& normal, const Bones& bones, const Run& run) {
  const std::size_t count = normal.bones;
  double sum = normal.squared - 2 * (normal.n.array() * bones.array()).sum();
  const RowMatrix products = transposed_product(bones, bones, run);
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t l = 0; l < count; ++l) {
      if (!normal.linked(j, l)) continue;
      const auto block = products.block<4, 4>(Eigen::Index(4 * j), Eigen::Index(4 * l));
      sum += (block.array() * normal.block(j, l).array()).sum();
    }
  }
  return sum;
}

}  // namespace marrow::lbs
