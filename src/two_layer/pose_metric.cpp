// Le & Deng 2013, Section 3.5, Eq. (7b): squared distance to example poses as a quadratic form per vertex. Differs:
// summed over all poses once, in the bones' reduced coordinates; the rest position may be eliminated (free rest pose).
#include "two_layer/pose_metric.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "lbs/dispatch.hpp"
#include "lbs/kernels/products.hpp"
#include "lbs/matrices.hpp"
#include "lbs/points.hpp"
#include "two_layer/pose_search.hpp"

namespace marrow::two_layer {
namespace {

std::array<double, PoseMetric::forms> outer(const Eigen::Vector3d& u) {
  return {u.x() * u.x(), u.x() * u.y(), u.x() * u.z(), u.x(), u.y() * u.y(),
          u.y() * u.z(), u.y(),         u.z() * u.z(), u.z(), 1};
}

/// Transforms minus their mean over the bones: weights sum to 1, so that differences do not change.
Eigen::MatrixXd centred(const lbs::RowMatrix& factor) {
  const Eigen::Index bones = factor.cols() / 4;
  Eigen::MatrixXd result = factor;
  Eigen::MatrixXd mean = Eigen::MatrixXd::Zero(factor.rows(), 4);
  for (Eigen::Index j = 0; j < bones; ++j) mean += factor.middleCols<4>(4 * j);
  for (Eigen::Index j = 0; j < bones; ++j) result.middleCols<4>(4 * j) -= mean / double(bones);
  return result;
}

/// Coefficients of u^T H u as a dot product with outer(u): diagonal once, off-diagonal twice.
std::vector<double> quadratic_forms(const Eigen::MatrixXd& factor) {
  const Eigen::MatrixXd products = factor.transpose() * factor;
  const std::size_t bones = std::size_t(factor.cols()) / 4;
  std::vector<double> result(PoseMetric::forms * bones * bones);
  for (std::size_t a = 0; a < bones; ++a) {
    for (std::size_t b = 0; b < bones; ++b) {
      const Eigen::Matrix4d h = products.block<4, 4>(Eigen::Index(4 * a), Eigen::Index(4 * b));
      std::size_t q = 0;
      for (int r = 0; r < 4; ++r) {
        for (int c = r; c < 4; ++c) result[q++ * bones * bones + a * bones + b] = r == c ? h(r, r) : h(r, c) + h(c, r);
      }
    }
  }
  return result;
}

/// Predictions of each bone for several vertices at a time. Rows are padded to whole tiles of the kernel.
class Predictions {
 public:
  static constexpr std::size_t vertices_at_once = 4;

  explicit Predictions(const Eigen::MatrixXd& factor)
      : bones_(std::size_t(factor.cols()) / 4),
        rank_(std::size_t(factor.rows())),
        by_bone_(bones_ * blend_size()),
        by_column_(4 * size()) {
    for (std::size_t j = 0; j < bones_; ++j) {
      for (std::size_t c = 0; c < 4; ++c) {
        for (std::size_t q = 0; q < rank_; ++q) {
          const double value = factor(Eigen::Index(q), Eigen::Index(4 * j + c));
          by_bone_[j * blend_size() + c * column_size() + q] = value;
          by_column_[c * size() + q * row_size() + j] = value;
        }
      }
    }
  }

  std::size_t column_size() const { return blend_size() / 4; }
  std::size_t blend_size() const { return kernels::whole_tiles(4 * rank_); }
  std::size_t row_size() const { return kernels::whole_tiles(bones_); }
  std::size_t size() const { return rank_ * row_size(); }

  /// The blended transform of `count` blends; `weights` is bones x count.
  void blend(std::size_t count, const double* weights, double* result) const {
    kernels::product_kernel()(bones_, count, blend_size(), {weights, count}, {by_bone_.data(), blend_size()}, result,
                              blend_size());
  }
  /// Predictions (rank x bones) for each of the vertices in the columns of `h`.
  void at(const Eigen::Matrix4d& h, double* result) const {
    const Eigen::Matrix<double, 4, 4, Eigen::RowMajor> rows = h;
    kernels::product_kernel()(4, vertices_at_once, size(), {rows.data(), 4}, {by_column_.data(), size()}, result,
                              size());
  }
  /// Four columns (rank x 4), transposed, times the predictions of a vertex: 4 x bones.
  void times(const double* columns, const double* predictions, double* result) const {
    kernels::product_kernel()(rank_, 4, row_size(), {columns, 4}, {predictions, row_size()}, result, row_size());
  }

 private:
  std::size_t bones_, rank_;
  std::vector<double> by_bone_, by_column_;
};

/// Orthonormalises the columns of T, which has sqrt(l) as three more rows.
void orthonormalise(Eigen::MatrixX3d& moves) {
  const double least = 1e-12 * moves.squaredNorm();
  for (int c = 0; c < 3; ++c) {
    for (int b = 0; b < c; ++b) moves.col(c) -= moves.col(b).dot(moves.col(c)) * moves.col(b);
    const double squared = moves.col(c).squaredNorm();
    moves.col(c) *= squared > least ? 1 / std::sqrt(squared) : 0.0;
  }
}

}  // namespace

PoseMetric::PoseMetric(const DenseWeights& weights, const lbs::RowMatrix& all_bones, const lbs::Points& points,
                       const Run& run, const RestFreedom* freedom)
    : bones_(weights.bones),
      moments_(weights.vertices),
      slopes_(weights.vertices * weights.bones),
      rest_moves_(freedom == nullptr ? 0 : 3 * slopes_.size()) {
  const std::size_t bones = bones_;
  const Eigen::MatrixXd factor = centred(all_bones);
  const std::vector<double> exact = quadratic_forms(factor);
  tables_.assign(exact.begin(), exact.end());
  const Eigen::MatrixXd mean = all_bones.leftCols<4>() - factor.leftCols<4>();
  const Eigen::Index rank = factor.rows();
  const Predictions predictions(factor);
  const std::vector<double>& rest = freedom == nullptr ? points.rest : freedom->rest;
  constexpr std::size_t per_task = 64, group = Predictions::vertices_at_once;
  parallel_for(run, weights.vertices, per_task, [&](std::size_t begin, std::size_t end) {
    // First the given weights of all vertices, then the current blends.
    const std::size_t count = end - begin, blends = freedom == nullptr ? count : 2 * count;
    std::vector<double> rows(bones * blends), blended(blends * predictions.blend_size());
    for (std::size_t v = 0; v < count; ++v) {
      for (std::size_t j = 0; j < bones; ++j) {
        rows[j * blends + v] = weights.row(begin + v)[j];
        if (freedom != nullptr) rows[j * blends + count + v] = freedom->blends.row(begin + v)[j];
      }
    }
    predictions.blend(blends, rows.data(), blended.data());
    const auto made_of = [&](std::size_t v, Eigen::Index columns) {
      return Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>(
          blended.data() + v * predictions.blend_size(), rank, columns,
          Eigen::OuterStride<>(Eigen::Index(predictions.column_size())));
    };
    // Three more rows: the penalty on the rest position.
    Eigen::VectorXd posed = Eigen::VectorXd::Zero(rank + 3), target(rank);
    Eigen::MatrixX3d moves = Eigen::MatrixX3d::Zero(rank + 3, 3);
    Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor> columns(rank, 4);
    std::vector<double> predicted(group * predictions.size()), products(4 * predictions.row_size());
    Eigen::Matrix4d h = Eigen::Matrix4d::Zero();
    for (std::size_t v = 0; v < count; ++v) {
      const std::size_t i = begin + v;
      if (v % group == 0) {
        for (std::size_t w = v; w < std::min(v + group, count); ++w) {
          h.col(Eigen::Index(w - v)) = lbs::rest_of(rest, begin + w).homogeneous();
        }
        predictions.at(h, predicted.data());
      }
      const Eigen::Vector4d u = h.col(Eigen::Index(v % group));
      const std::array<double, forms> m = outer(u.head<3>());
      std::copy(m.begin(), m.end(), moments_[i].begin());
      for (Eigen::Index c = 0; c < rank; ++c) target[c] = points.coordinate(i, std::size_t(c));
      target -= mean.lazyProduct(u);
      posed.head(rank) = made_of(v, 4).lazyProduct(u) - target;
      if (freedom != nullptr) {
        moves.topRows(rank) = made_of(count + v, 3) + mean.leftCols<3>();
        const double squared = (made_of(count + v, 4).lazyProduct(u) - target).squaredNorm();
        const double stiffness = std::sqrt(squared) / freedom->limit;
        moves.bottomRows<3>() = stiffness * Eigen::Matrix3d::Identity();
        posed.tail<3>() = stiffness * (u.head<3>() - lbs::rest_of(points.rest, i));
        orthonormalise(moves);
        posed -= moves.lazyProduct(Eigen::Vector3d(moves.transpose() * posed));
      }
      columns << moves.topRows(rank), posed.head(rank);
      predictions.times(columns.data(), predicted.data() + v % group * predictions.size(), products.data());
      for (std::size_t c = 0; c < 3 && freedom != nullptr; ++c) {
        std::copy_n(products.begin() + std::ptrdiff_t(c * predictions.row_size()), bones,
                    rest_moves_.begin() + std::ptrdiff_t((3 * i + c) * bones));
      }
      std::copy_n(products.begin() + std::ptrdiff_t(3 * predictions.row_size()), bones,
                  slopes_.begin() + std::ptrdiff_t(i * bones));
    }
  });
}

void PoseMetric::form_at(std::size_t i, float* q) const {
  kernels::search_kernels().contract(bones_ * bones_, forms, tables_.data(), moments_[i].data(), q);
  const float* moves = rest_moves(i);
  if (moves == nullptr) return;
  const float *x = moves, *y = x + bones_, *z = y + bones_;
  for (std::size_t a = 0; a < bones_; ++a) {
    float* row = q + a * bones_;
    for (std::size_t b = 0; b < bones_; ++b) row[b] -= x[a] * x[b] + y[a] * y[b] + z[a] * z[b];
  }
}

std::unique_ptr<AtomSearch> PoseMetric::search(const DenseWeights& weights, const Dictionary& dictionary) const {
  return std::make_unique<PoseSearch>(weights, *this, dictionary);
}

void PoseMetric::gram(std::size_t i, const Differences& differences, GramScratch& scratch, Gram& result) const {
  constexpr std::size_t stride = Differences::stride;
  auto& [q, turned] = scratch;
  const std::size_t bones = bones_, count = differences.count;
  q.resize(bones * bones);
  turned.resize(bones * stride);
  form_at(i, q.data());
  const float* e = differences.values.data();
  kernels::search_kernels().turn(bones, count, q.data(), e, turned.data());
  result.assign(stride * stride, 0);
  float linear[stride] = {};
  for (std::size_t a = 0; a < bones; ++a) {
    const float g = slopes_[i * bones + a];
    for (std::size_t c = 0; c < count; ++c) linear[c] += g * e[a * stride + c];
  }
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t c = 0; c < count; ++c) result[r * stride + c] = linear[r] + linear[c];
  }
  add_product(bones, count, e, turned.data(), result.data());
}

}  // namespace marrow::two_layer
