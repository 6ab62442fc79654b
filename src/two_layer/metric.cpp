#include "two_layer/metric.hpp"

#include <algorithm>

namespace marrow::two_layer {

void add_product(std::size_t bones, std::size_t count, const float* left, const float* right, float* result) {
  constexpr std::size_t stride = Differences::stride, lanes = 16;
  for (std::size_t first = 0; first < count; first += lanes) {
    for (std::size_t r = 0; r < count; ++r) {
      float sum[lanes] = {};
      for (std::size_t x = 0; x < bones; ++x) {
        const float a = left[x * stride + r];
        const float* b = right + x * stride + first;
        for (std::size_t l = 0; l < lanes; ++l) sum[l] += a * b[l];
      }
      for (std::size_t l = 0; l < lanes; ++l) result[r * stride + first + l] += sum[l];
    }
  }
}

void WeightMetric::gram(std::size_t, const Differences& differences, GramScratch&, Gram& result) const {
  constexpr std::size_t stride = Differences::stride;
  result.assign(stride * stride, 0);
  add_product(differences.values.size() / stride, differences.count, differences.values.data(),
              differences.values.data(), result.data());
}

}  // namespace marrow::two_layer
