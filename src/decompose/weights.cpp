#include "core/parallel.hpp"
#include "decompose/types.hpp"

namespace marrow::ssdr {
namespace {

/// Position of entry (r, c), r <= c, of a symmetric 4 x 4 matrix in ten numbers, and back.
constexpr int upper_row[10] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 3};
constexpr int upper_column[10] = {0, 1, 2, 3, 1, 2, 3, 2, 3, 3};

}  // namespace

BoneTables::BoneTables(const Space& space, const Bones& bones, std::size_t rank, std::size_t influences) {
  const std::size_t count = bone_count(bones), pairs = (count + 1) / 2;
  const RowMatrix products = bones.transpose() * bones;
  gram_.resize(count * 10 * count);
  diagonal_.resize(10 * count);
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t k = 0; k < count; ++k) {
      const auto block = products.block<4, 4>(static_cast<Eigen::Index>(4 * j), static_cast<Eigen::Index>(4 * k));
      for (std::size_t q = 0; q < 10; ++q) {
        const int r = upper_row[q], c = upper_column[q];
        gram_[(j * 10 + q) * count + k] = 0.5 * (block(r, c) + block(c, r));
      }
    }
    for (std::size_t q = 0; q < 10; ++q) diagonal_[q * count + j] = gram_[(j * 10 + q) * count + j];
  }
  const RowMatrix projected = bones.transpose() * space.basis.leftCols(static_cast<Eigen::Index>(rank));
  projection_.assign(pairs * rank * 8, 0);
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t q = 0; q < rank; ++q) {
      for (std::size_t r = 0; r < 4; ++r) {
        projection_[((j / 2) * rank + q) * 8 + (j % 2) * 4 + r] =
            projected(static_cast<Eigen::Index>(4 * j + r), static_cast<Eigen::Index>(q));
      }
    }
  }
  problem_ = {count, count, rank, influences, gram_.data(), diagonal_.data(), projection_.data()};
}

double solve_weights(const Space& space, const Points& points, const Bones& bones, SlotWeights& weights, bool greedy,
                     const Run& run) {
  const BoneTables tables(space, bones, points.rank, weights.influences);
  constexpr std::size_t grain = 16;
  std::vector<double> partial((points.blocks() + grain - 1) / grain, 0);
  parallel_for(run, points.blocks(), grain, [&](std::size_t begin, std::size_t end) {
    std::vector<double> scratch(kernels::weight_scratch(tables.problem().bones, weights.influences));
    for (std::size_t b = begin; b < end; ++b) {
      const std::size_t first = b * lanes, count = std::min(lanes, points.count - first);
      const kernels::WeightBlock block{points.block_coordinates(b),
                                       points.block_rest(b),
                                       points.squared.data() + first,
                                       count,
                                       weights.bones.data() + first * weights.influences,
                                       weights.values.data() + first * weights.influences,
                                       weights.used.data() + first,
                                       weights.errors.data() + first,
                                       scratch.data()};
      kernels::decompose_kernels().weights(tables.problem(), block, greedy);
      for (std::size_t lane = 0; lane < count; ++lane) partial[begin / grain] += weights.errors[first + lane];
    }
  });
  double sum = 0;
  for (const double p : partial) sum += p;
  return sum;
}

}  // namespace marrow::ssdr
