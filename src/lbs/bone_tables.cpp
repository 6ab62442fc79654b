#include "lbs/bone_tables.hpp"

#include "lbs/products.hpp"

namespace marrow::lbs {
namespace {

/// Row and column of the ten entries of a symmetric 4 x 4 matrix (upper triangle).
constexpr int upper_row[10] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 3};
constexpr int upper_column[10] = {0, 1, 2, 3, 1, 2, 3, 2, 3, 3};

}  // namespace

BoneTables::BoneTables(const Space& space, const Bones& bones, std::size_t rank, std::size_t influences,
                       const Run& run) {
  const std::size_t count = bone_count(bones), pairs = (count + 1) / 2;
  const RowMatrix products = transposed_product(bones, bones, run);
  gram_.resize(count * 10 * count);
  diagonal_.resize(10 * count);
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t l = 0; l < count; ++l) {
      const auto block = products.block<4, 4>(Eigen::Index(4 * j), Eigen::Index(4 * l));
      for (std::size_t q = 0; q < 10; ++q) {
        const int r = upper_row[q], c = upper_column[q];
        gram_[(j * 10 + q) * count + l] = 0.5 * (block(r, c) + block(c, r));
      }
    }
    for (std::size_t q = 0; q < 10; ++q) diagonal_[q * count + j] = gram_[(j * 10 + q) * count + j];
  }
  const RowMatrix projected = transposed_product(bones, space.basis.leftCols(Eigen::Index(rank)), run);
  projection_.assign(pairs * rank * 8, 0);
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t q = 0; q < rank; ++q) {
      for (std::size_t r = 0; r < 4; ++r) {
        projection_[((j / 2) * rank + q) * 8 + (j % 2) * 4 + r] = projected(Eigen::Index(4 * j + r), Eigen::Index(q));
      }
    }
  }
  problem_ = {
      count, count, rank, influences, gram_.data(), diagonal_.data(), projection_.data(), space.per_influence()};
}

}  // namespace marrow::lbs
