#include "lbs/slot_weights.hpp"

#include <algorithm>
#include <utility>

namespace marrow::lbs {

void drop_small(std::size_t vertices, double least, SlotWeights& w) {
  for (std::size_t i = 0; i < vertices; ++i) {
    std::uint32_t* bones = w.bones.data() + i * w.influences;
    double* values = w.values.data() + i * w.influences;
    std::uint32_t left = 0;
    double sum = 0;
    for (std::uint32_t a = 0; a < w.used[i]; ++a) {
      if (values[a] < least) continue;
      bones[left] = bones[a];
      sum += values[left++] = values[a];
    }
    w.used[i] = left;
    for (std::uint32_t a = 0; a < left; ++a) values[a] /= sum;
  }
}

SlotWeights to_slots(const Weights& weights, std::size_t blocks) {
  SlotWeights slots;
  slots.resize(blocks, weights.max_influences());
  for (std::size_t i = 0; i < weights.vertices(); ++i) {
    const auto bones = weights.row_bones(i);
    const auto values = weights.row_values(i);
    slots.used[i] = std::uint32_t(bones.size());
    double sum = 0;
    for (const float value : values) sum += value;
    for (std::size_t a = 0; a < bones.size(); ++a) {
      slots.bones[i * slots.influences + a] = bones[a];
      slots.values[i * slots.influences + a] = values[a] / sum;
    }
  }
  return slots;
}

Weights to_weights(const SlotWeights& w, std::size_t vertices) {
  Weights weights;
  weights.offsets.push_back(0);
  std::vector<std::pair<std::uint32_t, float>> row;
  for (std::size_t i = 0; i < vertices; ++i) {
    row.clear();
    for (std::size_t a = 0; a < w.used[i]; ++a) {
      row.emplace_back(w.bones[i * w.influences + a], float(w.values[i * w.influences + a]));
    }
    std::ranges::sort(row);
    for (const auto& [bone, value] : row) {
      weights.bones.push_back(bone);
      weights.values.push_back(value);
    }
    weights.offsets.push_back(std::uint32_t(weights.bones.size()));
  }
  return weights;
}

}  // namespace marrow::lbs
