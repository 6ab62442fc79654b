#include "two_layer/to_layers.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/rows.hpp"
#include "two_layer/atoms.hpp"

namespace marrow::two_layer {
namespace {

/// Smaller values are invisible.
constexpr float least_value = 1e-6F;

/// Finishes a row: sorted, without negligible values, with sum 1 as in files.
void add_row(std::vector<std::pair<std::uint32_t, float>>& row, Blends& blends) {
  std::erase_if(row, [](const auto& entry) { return std::abs(entry.second) < least_value; });
  std::sort(row.begin(), row.end());
  const double sum = std::accumulate(row.begin(), row.end(), 0.0, [](double s, const auto& e) { return s + e.second; });
  for (const auto& [source, value] : row) {
    blends.sources.push_back(source);
    blends.values.push_back(float(value / sum));
  }
  close_row(std::span(blends.values).subspan(blends.offsets.back()));
  blends.offsets.push_back(std::uint32_t(blends.sources.size()));
  row.clear();
}

}  // namespace

DenseWeights dense(const Weights& weights, std::size_t bones) {
  DenseWeights result{weights.vertices(), bones, std::vector<float>(weights.vertices() * bones)};
  for (std::size_t i = 0; i < weights.vertices(); ++i) {
    const auto sources = weights.row_bones(i);
    const auto values = weights.row_values(i);
    for (std::size_t e = 0; e < sources.size(); ++e) result.values[i * bones + sources[e]] = values[e];
  }
  return result;
}

DenseWeights dense(const Matrix& matrix) {
  DenseWeights result{matrix.rows, matrix.columns, matrix.values};
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    float* row = result.values.data() + i * matrix.columns;
    const double sum = std::accumulate(row, row + matrix.columns, 0.0);
    for (std::size_t j = 0; j < matrix.columns; ++j) row[j] = float(row[j] / sum);
  }
  return result;
}

Weights positive_part(const DenseWeights& weights) {
  Weights result{{0}, {}, {}};
  for (std::size_t i = 0; i < weights.vertices; ++i) {
    const float* w = weights.row(i);
    double sum = 0;
    for (std::size_t j = 0; j < weights.bones; ++j) sum += w[j] > least_value ? w[j] : 0;
    for (std::size_t j = 0; j < weights.bones; ++j) {
      if (!(w[j] > least_value)) continue;
      result.bones.push_back(std::uint32_t(j));
      result.values.push_back(float(w[j] / sum));
    }
    result.offsets.push_back(std::uint32_t(result.bones.size()));
  }
  return result;
}

Weights largest(const Weights& weights, std::size_t count) {
  Weights result{{0}, {}, {}};
  std::vector<std::pair<float, std::uint32_t>> row;
  for (std::size_t i = 0; i < weights.vertices(); ++i) {
    row.clear();
    for (std::uint32_t e = weights.offsets[i]; e < weights.offsets[i + 1]; ++e) {
      row.emplace_back(-weights.values[e], weights.bones[e]);
    }
    std::sort(row.begin(), row.end());
    row.resize(std::min(row.size(), count));
    double sum = 0;
    for (const auto& [value, bone] : row) sum -= value;
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const auto& [value, bone] : row) {
      result.bones.push_back(bone);
      result.values.push_back(float(-value / sum));
    }
    result.offsets.push_back(std::uint32_t(result.bones.size()));
  }
  return result;
}

void to_layers(const Factors& factors, TwoLayerRig& rig) {
  const std::size_t bones = factors.dictionary.bones;
  rig.virtual_bones = {{0}, {}, {}};
  rig.weights = {{0}, {}, {}};
  std::vector<std::uint32_t> places(factors.dictionary.atoms(), 0);
  for (const Code& code : factors.coding) {
    for (std::uint32_t s = 0; s < code.count; ++s) {
      if (std::abs(code.values[s]) >= least_value) places[code.atoms[s]] = 1;
    }
  }
  std::vector<std::pair<std::uint32_t, float>> row;
  std::uint32_t next = 0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (places[k] == 0) continue;
    places[k] = next++;
    for (std::size_t j = 0; j < bones; ++j) row.emplace_back(std::uint32_t(j), factors.dictionary.row(k)[j]);
    add_row(row, rig.virtual_bones);
  }
  for (const Code& code : factors.coding) {
    for (std::uint32_t s = 0; s < code.count; ++s) row.emplace_back(places[code.atoms[s]], code.values[s]);
    add_row(row, rig.weights);
  }
}

void to_layers(const Factors& factors, const Rig& given, TwoLayerRig& rig) {
  rig.rig.mesh.positions = factors.moved ? factors.moved->positions : given.mesh.positions;
  rig.rig.motion.transforms = factors.moved ? factors.moved->transforms : given.motion.transforms;
  to_layers(factors, rig);
}

double weight_error(const DenseWeights& weights, const Factors& factors, const Run& run) {
  const std::vector<float> residuals = residuals_of(weights, factors.dictionary, factors.coding, run);
  const double sum = std::inner_product(residuals.begin(), residuals.end(), residuals.begin(), 0.0);
  return 1000 * std::sqrt(sum / double(residuals.size()));
}

}  // namespace marrow::two_layer
