#include "two_layer/metric.hpp"

#include "two_layer/far_atoms.hpp"

namespace marrow::two_layer {

static_assert(Differences::stride == kernels::code_stride);

void add_product(std::size_t bones, std::size_t count, const float* left, const float* right, float* result) {
  kernels::search_kernels().add_product(bones, count, left, right, result);
}

void WeightMetric::gram(std::size_t, const Differences& differences, GramScratch&, Gram& result) const {
  constexpr std::size_t stride = Differences::stride;
  result.assign(stride * stride, 0);
  add_product(differences.values.size() / stride, differences.count, differences.values.data(),
              differences.values.data(), result.data());
}

std::unique_ptr<AtomSearch> WeightMetric::search(const DenseWeights& weights, const Dictionary& dictionary) const {
  return std::make_unique<FarAtoms>(weights, dictionary);
}

}  // namespace marrow::two_layer
