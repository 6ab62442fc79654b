#include "io/skin_rows.hpp"

#include <algorithm>

namespace marrow {

void sorted_influences(const Weights& weights, std::size_t i, std::vector<BoneWeight>& row) {
  row.clear();
  double sum = 0;
  for (std::uint32_t e = weights.offsets[i]; e < weights.offsets[i + 1]; ++e) {
    row.push_back({weights.bones[e], weights.values[e]});
    sum += weights.values[e];
  }
  std::ranges::sort(row, [](const BoneWeight& a, const BoneWeight& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.bone < b.bone;
  });
  double others = 0;
  for (std::size_t e = 1; e < row.size(); ++e) {
    row[e].weight = float(row[e].weight / sum);
    others += row[e].weight;
  }
  row.front().weight = float(1 - others);
}

}  // namespace marrow
