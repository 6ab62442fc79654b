#include "core/neighbours.hpp"

#include <algorithm>
#include <array>

namespace marrow {
namespace {

/// Builds rows from sorted unique pairs (a, b), a < b.
Neighbours from_pairs(std::size_t count, const std::vector<std::array<std::uint32_t, 2>>& pairs) {
  Neighbours n;
  n.offsets.assign(count + 1, 0);
  for (const auto& [a, b] : pairs) {
    ++n.offsets[a + 1];
    ++n.offsets[b + 1];
  }
  for (std::size_t i = 0; i < count; ++i) n.offsets[i + 1] += n.offsets[i];
  n.indices.resize(2 * pairs.size());
  std::vector<std::uint32_t> next(n.offsets.begin(), n.offsets.end() - 1);
  for (const auto& [a, b] : pairs) {
    n.indices[next[a]++] = b;
    n.indices[next[b]++] = a;
  }
  return n;
}

}  // namespace

Neighbours mesh_neighbours(const Mesh& mesh) {
  return from_pairs(mesh.vertices(), edges(mesh));
}

Neighbours within_two_edges(const Neighbours& neighbours) {
  const std::size_t count = neighbours.offsets.size() - 1;
  Neighbours result;
  result.offsets.assign(1, 0);
  result.offsets.reserve(count + 1);
  std::vector<std::uint32_t> seen(count, 0);  // by point seen[v] - 1; 0: not yet
  for (std::uint32_t i = 0; i < count; ++i) {
    seen[i] = i + 1;
    const auto add = [&](std::uint32_t a) {
      if (seen[a] == i + 1 || result.indices.size() - result.offsets.back() == most_within_two_edges) return;
      seen[a] = i + 1;
      result.indices.push_back(a);
    };
    for (const std::uint32_t a : neighbours.of(i)) add(a);
    for (const std::uint32_t a : neighbours.of(i)) {
      if (result.indices.size() - result.offsets.back() == most_within_two_edges) break;
      for (const std::uint32_t b : neighbours.of(a)) add(b);
    }
    result.offsets.push_back(std::uint32_t(result.indices.size()));
  }
  return result;
}

Neighbours subset_neighbours(const Neighbours& all, std::span<const std::uint32_t> subset) {
  constexpr std::uint32_t nobody = 0xFFFFFFFF;
  const std::size_t count = all.offsets.size() - 1;
  std::vector<std::uint32_t> owner(count, nobody);
  std::vector<std::uint32_t> queue(subset.begin(), subset.end());
  for (std::size_t s = 0; s < subset.size(); ++s) owner[subset[s]] = std::uint32_t(s);
  for (std::size_t head = 0; head < queue.size(); ++head) {
    for (const std::uint32_t v : all.of(queue[head])) {
      if (owner[v] != nobody) continue;
      owner[v] = owner[queue[head]];
      queue.push_back(v);
    }
  }
  std::vector<std::array<std::uint32_t, 2>> pairs;
  for (std::uint32_t v = 0; v < count; ++v) {
    for (const std::uint32_t u : all.of(v)) {
      if (owner[v] < owner[u] && owner[u] != nobody) pairs.push_back({owner[v], owner[u]});
    }
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return from_pairs(subset.size(), pairs);
}

}  // namespace marrow
