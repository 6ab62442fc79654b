#include "two_layer/far_atoms.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace marrow::two_layer {
namespace {

using Rows = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

Rows rows_of(const float* values, std::size_t rows, std::size_t columns) {
  return {values, Eigen::Index(rows), Eigen::Index(columns)};
}

}  // namespace

FarAtoms::FarAtoms(const DenseWeights& weights, const Dictionary& dictionary, bool used)
    : weights_(weights), dictionary_(dictionary) {
  if (!used) return;
  nearest_ = std::min<std::size_t>(12, dictionary.atoms());
  partnered_ = std::min<std::size_t>(8, nearest_);
  norms_.resize(dictionary.atoms());
  for (std::size_t j = 0; j < norms_.size(); ++j) {
    const float* d = dictionary.row(j);
    norms_[j] = std::inner_product(d, d + dictionary.bones, d, 0.0F);
  }
  order_.resize(norms_.size());
  found_.resize(block * (nearest_ + partnered_));
}

void FarAtoms::load_block_of(std::size_t i, std::size_t begin, std::size_t end) {
  if (i >= begin_ && i < end_) return;
  const std::size_t first = begin + (i - begin) / block * block;
  load(first, std::min(end, first + block));
}

void FarAtoms::load(std::size_t begin, std::size_t end) {
  begin_ = begin;
  end_ = end;
  const std::size_t k = dictionary_.bones, m = dictionary_.atoms();
  const Rows d = rows_of(dictionary_.values.data(), m, k);
  products_.noalias() = d * rows_of(weights_.row(begin), end - begin, k).transpose();
  std::vector<float> distances(m);
  for (std::size_t i = begin; i < end; ++i) {
    const auto column = products_.col(Eigen::Index(i - begin));
    for (std::size_t j = 0; j < m; ++j) distances[j] = norms_[j] - 2 * column[Eigen::Index(j)];
    std::uint32_t* found = found_.data() + (i - begin) * (nearest_ + partnered_);
    find_partners(i, distances.data(), found, found + nearest_);
  }
}

void FarAtoms::find_partners(std::size_t i, const float* distances, std::uint32_t* nearest, std::uint32_t* partners) {
  const std::size_t m = dictionary_.atoms(), k = dictionary_.bones;
  std::iota(order_.begin(), order_.end(), 0U);
  const auto closer = [&](std::uint32_t a, std::uint32_t b) {
    return distances[a] != distances[b] ? distances[a] < distances[b] : a < b;
  };
  std::nth_element(order_.begin(), order_.begin() + std::ptrdiff_t(nearest_ - 1), order_.end(), closer);
  std::sort(order_.begin(), order_.begin() + std::ptrdiff_t(nearest_), closer);
  std::copy_n(order_.begin(), nearest_, nearest);
  if (partnered_ == 0) return;
  const Rows d = rows_of(dictionary_.values.data(), m, k);
  Eigen::MatrixXf e{Eigen::Index(k), Eigen::Index(partnered_)};
  const float* w = weights_.row(i);
  for (std::size_t p = 0; p < partnered_; ++p) {
    for (std::size_t x = 0; x < k; ++x) {
      e(Eigen::Index(x), Eigen::Index(p)) = dictionary_.row(nearest[p])[x] - w[x];
    }
  }
  partner_products_.noalias() = d * e;
  const float ww = std::inner_product(w, w + k, w, 0.0F);
  for (std::size_t p = 0; p < partnered_; ++p) {
    const auto column = e.col(Eigen::Index(p));
    const float rr = column.squaredNorm();
    const float rw = Eigen::Map<const Eigen::VectorXf>(w, Eigen::Index(k)).dot(column);
    float best = INFINITY;
    partners[p] = nearest[p];
    for (std::size_t j = 0; j < m; ++j) {
      const float rs = partner_products_(Eigen::Index(j), Eigen::Index(p)) - rw;
      const float ss = std::max(distances[j] + ww, 0.0F);
      const float rise = ss - rs, width = std::max(rr - rs + rise, 1e-12F);
      const float t = std::clamp(rise / width, 0.0F, 1.0F);
      if (const float error = ss - t * (2 * rise - t * width); error < best && j != nearest[p]) {
        best = error;
        partners[p] = std::uint32_t(j);
      }
    }
  }
}

std::span<const std::uint32_t> FarAtoms::of(std::size_t i) const {
  const std::size_t each = nearest_ + partnered_;
  return {found_.data() + (i - begin_) * each, each};
}

}  // namespace marrow::two_layer
