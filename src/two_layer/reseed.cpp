#include "two_layer/reseed.hpp"

#include <algorithm>
#include <numeric>

namespace marrow::two_layer {
namespace {

/// What a new atom at each vertex could win: its error and half of its neighbours'.
std::vector<float> hopes(const std::vector<float>& errors, const ssdr::Neighbours& neighbours) {
  std::vector<float> result(errors.size());
  for (std::size_t i = 0; i < errors.size(); ++i) {
    float sum = 0;
    for (const std::uint32_t a : neighbours.of(i)) sum += errors[a];
    result[i] = errors[i] + sum / 2;
  }
  return result;
}

/// Indices by value, least first; equal values by index.
std::vector<std::uint32_t> ascending(const std::vector<float>& values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  return order;
}

}  // namespace

std::vector<std::uint32_t> worst_vertices(const std::vector<float>& errors, const ssdr::Neighbours& neighbours,
                                          std::size_t count) {
  const std::vector<float> hope = hopes(errors, neighbours);
  std::vector<std::uint32_t> order = ascending(hope);
  std::vector<std::uint8_t> taken(errors.size());
  std::vector<std::uint32_t> result;
  for (std::size_t o = order.size(); o-- > 0 && result.size() < count;) {
    const std::uint32_t i = order[o];
    if (taken[i] != 0) continue;
    result.push_back(i);
    for (const std::uint32_t a : neighbours.of(i)) taken[a] = 1;
  }
  return result;
}

void reseed(const DenseWeights& weights, const ssdr::Neighbours& neighbours, const Coded& coded, double share,
            Dictionary& dictionary, Coding& coding) {
  std::vector<float> missed(dictionary.atoms());
  for (std::size_t i = 0; i < coding.size(); ++i) {
    for (std::uint32_t s = 0; s < coding[i].count; ++s) missed[coding[i].atoms[s]] += coded.losses[i * max_slots + s];
  }
  const std::vector<std::uint32_t> order = ascending(missed);
  const std::vector<float> hope = hopes(coded.errors, neighbours);
  const auto most = std::size_t(share * double(dictionary.atoms()));
  std::size_t next = 0;
  for (const std::uint32_t p : worst_vertices(coded.errors, neighbours, most)) {
    const std::uint32_t j = order[next++];
    if (missed[j] >= hope[p]) break;
    std::copy_n(weights.row(p), weights.bones, dictionary.row(j));
    coding[p] = {.count = 1, .atoms = {j}, .values = {1}};
  }
}

}  // namespace marrow::two_layer
