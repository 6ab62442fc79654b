#include "two_layer/pose_metric.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "two_layer/pose_search.hpp"

namespace marrow::two_layer {
namespace {

std::array<double, PoseMetric::forms> outer(const Eigen::Vector3d& u) {
  return {u.x() * u.x(), u.x() * u.y(), u.x() * u.z(), u.x(), u.y() * u.y(),
          u.y() * u.z(), u.y(),         u.z() * u.z(), u.z(), 1};
}

/// What bones do beyond their average: where weights sum to 1, the rest of it changes no difference.
Eigen::MatrixXd centred(const reduction::RowMatrix& factor) {
  const Eigen::Index bones = factor.cols() / 4;
  Eigen::MatrixXd result = factor;
  Eigen::MatrixXd mean = Eigen::MatrixXd::Zero(factor.rows(), 4);
  for (Eigen::Index j = 0; j < bones; ++j) mean += factor.middleCols<4>(4 * j);
  for (Eigen::Index j = 0; j < bones; ++j) result.middleCols<4>(4 * j) -= mean / double(bones);
  return result;
}

/// u^T H u as a dot product with outer(u): diagonal once, the rest twice.
std::vector<double> quadratic_forms(const Eigen::MatrixXd& factor) {
  const Eigen::MatrixXd products = factor.transpose() * factor;
  const std::size_t k = std::size_t(factor.cols()) / 4;
  std::vector<double> result(PoseMetric::forms * k * k);
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = 0; b < k; ++b) {
      const Eigen::Matrix4d h = products.block<4, 4>(Eigen::Index(4 * a), Eigen::Index(4 * b));
      std::size_t q = 0;
      for (int r = 0; r < 4; ++r) {
        for (int c = r; c < 4; ++c) result[q++ * k * k + a * k + b] = r == c ? h(r, r) : h(r, c) + h(c, r);
      }
    }
  }
  return result;
}

/// An orthonormal basis of T, which has l below it as three more rows.
void orthonormalise(Eigen::MatrixX3d& moves) {
  const double least = 1e-12 * moves.squaredNorm();
  for (int c = 0; c < 3; ++c) {
    for (int b = 0; b < c; ++b) moves.col(c) -= moves.col(b).dot(moves.col(c)) * moves.col(b);
    const double squared = moves.col(c).squaredNorm();
    moves.col(c) *= squared > least ? 1 / std::sqrt(squared) : 0.0;
  }
}

}  // namespace

PoseMetric::PoseMetric(const DenseWeights& weights, const reduction::RowMatrix& all_bones,
                       const reduction::Points& points, const Run& run, const RestFreedom* freedom)
    : bones_(weights.bones),
      moments_(weights.vertices),
      slopes_(weights.vertices * weights.bones),
      rest_moves_(freedom == nullptr ? 0 : 3 * slopes_.size()) {
  const std::size_t k = bones_;
  const Eigen::MatrixXd factor = centred(all_bones);
  const std::vector<double> exact = quadratic_forms(factor);
  tables_.assign(exact.begin(), exact.end());
  const Eigen::MatrixXd mean = all_bones.leftCols<4>() - factor.leftCols<4>();
  const Eigen::Index rank = factor.rows(), bones = Eigen::Index(k);
  parallel_for(run, weights.vertices, 256, [&](std::size_t begin, std::size_t end) {
    // Below the coordinates, three rows of what the rest position costs.
    Eigen::VectorXd posed = Eigen::VectorXd::Zero(rank + 3);
    Eigen::MatrixXd predictions(rank, bones);
    Eigen::MatrixX3d moves = Eigen::MatrixX3d::Zero(rank + 3, 3);
    for (std::size_t i = begin; i < end; ++i) {
      const Eigen::Vector3d u = ssdr::rest_of(freedom == nullptr ? points.rest : freedom->rest, i);
      const Eigen::Vector4d h(u.x(), u.y(), u.z(), 1);
      const std::array<double, forms> m = outer(u);
      std::copy(m.begin(), m.end(), moments_[i].begin());
      posed.head(rank) = mean.lazyProduct(h);
      for (Eigen::Index c = 0; c < rank; ++c) posed[c] -= points.coordinate(i, std::size_t(c));
      for (Eigen::Index j = 0; j < bones; ++j) predictions.col(j) = factor.middleCols<4>(4 * j).lazyProduct(h);
      if (freedom != nullptr) {
        const Eigen::Map<const Eigen::VectorXf> blend(freedom->blends.row(i), bones);
        moves.topRows(rank) = mean.leftCols<3>();
        for (Eigen::Index j = 0; j < bones; ++j) {
          if (blend[j] != 0) moves.topRows(rank) += double(blend[j]) * factor.middleCols<3>(4 * j);
        }
        const double squared = (posed.head(rank) + predictions.lazyProduct(blend.cast<double>())).squaredNorm();
        const double stiffness = std::sqrt(squared) / freedom->limit;
        moves.bottomRows<3>() = stiffness * Eigen::Matrix3d::Identity();
        posed.tail<3>() = stiffness * (u - ssdr::rest_of(points.rest, i));
        orthonormalise(moves);
      }
      for (Eigen::Index j = 0; j < bones; ++j) {
        posed.head(rank) += double(weights.row(i)[j]) * predictions.col(j);
      }
      if (freedom != nullptr) {
        posed -= moves.lazyProduct(Eigen::Vector3d(moves.transpose() * posed));
        Eigen::Map<Eigen::MatrixX3f>(rest_moves_.data() + i * 3 * k, bones, 3) =
            predictions.transpose().lazyProduct(moves.topRows(rank)).cast<float>();
      }
      Eigen::Map<Eigen::VectorXf>(slopes_.data() + i * k, bones) =
          predictions.transpose().lazyProduct(posed.head(rank)).cast<float>();
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
  const std::size_t k = bones_, count = differences.count;
  q.resize(k * k);
  turned.resize(k * stride);
  form_at(i, q.data());
  const float* e = differences.values.data();
  kernels::search_kernels().turn(k, count, q.data(), e, turned.data());
  result.assign(stride * stride, 0);
  float linear[stride] = {};
  for (std::size_t a = 0; a < k; ++a) {
    const float g = slopes_[i * k + a];
    for (std::size_t c = 0; c < count; ++c) linear[c] += g * e[a * stride + c];
  }
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t c = 0; c < count; ++c) result[r * stride + c] = linear[r] + linear[c];
  }
  add_product(k, count, e, turned.data(), result.data());
}

}  // namespace marrow::two_layer
