#include "metrics/umbrella.hpp"

#include <numeric>

namespace marrow {

Umbrella::Umbrella(const Mesh& mesh) : offsets_(mesh.vertices() + 1) {
  const auto pairs = edges(mesh);
  for (const auto& [a, b] : pairs) {
    ++offsets_[a + 1];
    ++offsets_[b + 1];
  }
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  neighbours_.resize(2 * pairs.size());
  std::vector<std::size_t> next(offsets_.begin(), offsets_.end() - 1);
  for (const auto& [a, b] : pairs) {
    neighbours_[next[a]++] = b;
    neighbours_[next[b]++] = a;
  }
}

double Umbrella::squared_norm(std::span<const std::array<double, 3>> e) const {
  double sum = 0;
  for (std::size_t i = 0; i < e.size(); ++i) {
    const std::size_t begin = offsets_[i], end = offsets_[i + 1];
    if (begin == end) continue;
    std::array<double, 3> mean{0, 0, 0};
    for (std::size_t s = begin; s < end; ++s) {
      const auto& neighbour = e[neighbours_[s]];
      for (std::size_t c = 0; c < 3; ++c) mean[c] += neighbour[c];
    }
    for (std::size_t c = 0; c < 3; ++c) {
      const double difference = e[i][c] - mean[c] / double(end - begin);
      sum += difference * difference;
    }
  }
  return sum;
}

}  // namespace marrow
