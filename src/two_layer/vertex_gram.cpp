#include "two_layer/vertex_gram.hpp"

namespace marrow::two_layer {

VertexGram::VertexGram(const DenseWeights& weights, const Metric& metric, const Dictionary& dictionary)
    : weights_(weights),
      metric_(metric),
      dictionary_(dictionary),
      differences_{.values = std::vector<float>(weights.bones * Differences::stride)},
      gram_(Differences::stride * Differences::stride) {}

void VertexGram::fill(std::size_t i, std::span<const std::uint32_t> atoms, const float* more) {
  const float* w = weights_.row(i);
  differences_.count = 0;
  const auto add = [&](const float* row) {
    float* column = differences_.values.data() + differences_.count++;
    for (std::size_t j = 0; j < weights_.bones; ++j) column[j * Differences::stride] = row[j] - w[j];
  };
  for (const std::uint32_t atom : atoms) add(dictionary_.row(atom));
  if (more != nullptr) add(more);
  metric_.gram(i, differences_, scratch_, gram_);
}

}  // namespace marrow::two_layer
