#include "synthetic/bone_weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/parallel.hpp"

namespace marrow::synthetic {
namespace {

constexpr std::size_t most_influences = 4;
constexpr double least_weight = 1e-3;
constexpr double quantum = 0x1p-24;  // multiples of it up to 1 are exact floats, and so are their sums

struct Row {
  std::array<std::uint32_t, most_influences> bones{};
  std::array<float, most_influences> values{};
  std::uint32_t count = 0;
};

struct Influence {
  double weight;
  std::uint32_t bone;
};

double distance_to_surface(const Vec3& p, const BoneShape& shape) {
  const double ax = shape.to.x() - shape.from.x(), ay = shape.to.y() - shape.from.y(),
               az = shape.to.z() - shape.from.z();
  const double dx = p.x - shape.from.x(), dy = p.y - shape.from.y(), dz = p.z - shape.from.z();
  const double s = std::clamp((dx * ax + dy * ay + dz * az) / (ax * ax + ay * ay + az * az), 0.0, 1.0);
  return std::hypot(dx - s * ax, dy - s * ay, dz - s * az) - std::lerp(shape.from_radius, shape.to_radius, s);
}

/// By descending weight; ties: lower bone first.
bool heavier(const Influence& a, const Influence& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.bone < b.bone;
}

void keep_strongest(std::vector<Influence>& influences) {
  std::ranges::sort(influences, heavier);
  if (influences.size() > most_influences) {
    // Subtracts the largest dropped weight: keeps weights continuous where the set of influences changes.
    const double level = influences[most_influences].weight;
    influences.resize(most_influences);
    if (level < influences.front().weight) {
      for (Influence& i : influences) i.weight -= level;
    }
  }
  double sum = 0;
  for (const Influence& i : influences) sum += i.weight;
  std::erase_if(influences, [&](const Influence& i) { return i.weight < least_weight * sum; });
}

Row quantize(std::vector<Influence>& influences) {
  double sum = 0;
  for (const Influence& i : influences) sum += i.weight;
  double rest = 1;
  for (std::size_t e = 1; e < influences.size(); ++e) {
    influences[e].weight = quantum * std::round(influences[e].weight / sum / quantum);
    rest -= influences[e].weight;
  }
  influences.front().weight = rest;
  std::ranges::sort(influences, {}, &Influence::bone);
  Row row;
  for (const Influence& i : influences) {
    row.bones[row.count] = i.bone;
    row.values[row.count++] = float(i.weight);
  }
  return row;
}

/// Per limb: 1.5 times the longest reach of its bones.
std::vector<double> limb_reaches(std::span<const BoneShape> bones) {
  std::vector<double> reaches;
  for (const BoneShape& shape : bones) {
    const auto limb = std::size_t(shape.limb);
    if (limb >= reaches.size()) reaches.resize(limb + 1, 0);
    reaches[limb] = std::max(reaches[limb], 1.5 * shape.reach);
  }
  return reaches;
}

/// Adds to the distance of a limb where another limb is as near.
void part_limbs(std::span<const BoneShape> bones, std::span<const double> reaches, std::vector<double>& distances) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto nearest_of = [&](auto wanted) {
    std::pair<double, int> nearest{infinity, 0};
    for (std::size_t j = 0; j < bones.size(); ++j) {
      if (bones[j].limb != 0 && wanted(bones[j].limb)) nearest = std::min(nearest, {distances[j], bones[j].limb});
    }
    return nearest;
  };
  const auto [first, first_limb] = nearest_of([](int) { return true; });
  const auto [second, second_limb] = nearest_of([first_limb = first_limb](int limb) { return limb != first_limb; });
  for (std::size_t j = 0; j < bones.size(); ++j) {
    if (bones[j].limb == 0) continue;
    const double lead = bones[j].limb == first_limb ? second - first : 0;
    const double reach = reaches[std::size_t(bones[j].limb)];
    distances[j] += reach * (1 - smooth_step(lead / reach));
  }
}

/// `distances` and `influences` are scratch.
Row weigh(const Vec3& p, std::span<const BoneShape> bones, std::span<const double> reaches,
          std::vector<double>& distances, std::vector<Influence>& influences) {
  distances.clear();
  influences.clear();
  for (const BoneShape& shape : bones) distances.push_back(distance_to_surface(p, shape));
  part_limbs(bones, reaches, distances);
  const double nearest = *std::ranges::min_element(distances);
  for (std::size_t j = 0; j < bones.size(); ++j) {
    const double closeness = 1 - (distances[j] - nearest) / bones[j].reach;
    if (closeness > 0) influences.push_back({closeness * closeness, std::uint32_t(j)});
  }
  keep_strongest(influences);
  return quantize(influences);
}

}  // namespace

Weights weights_by_distance(std::span<const Vec3> positions, std::span<const BoneShape> bones) {
  std::vector<Row> rows(positions.size());
  const std::vector<double> reaches = limb_reaches(bones);
  parallel_for({}, positions.size(), 4096, [&](std::size_t begin, std::size_t end) {
    std::vector<double> distances;
    std::vector<Influence> influences;
    for (std::size_t i = begin; i < end; ++i) rows[i] = weigh(positions[i], bones, reaches, distances, influences);
  });
  Weights weights;
  weights.offsets.reserve(rows.size() + 1);
  weights.offsets.push_back(0);
  for (const Row& row : rows) weights.offsets.push_back(weights.offsets.back() + row.count);
  weights.bones.reserve(weights.offsets.back());
  weights.values.reserve(weights.offsets.back());
  for (const Row& row : rows) {
    weights.bones.insert(weights.bones.end(), row.bones.begin(), row.bones.begin() + row.count);
    weights.values.insert(weights.values.end(), row.values.begin(), row.values.begin() + row.count);
  }
  return weights;
}

Weights rigid_weights(std::span<const std::uint32_t> bone_of_vertex) {
  Weights weights;
  weights.offsets.resize(bone_of_vertex.size() + 1);
  std::iota(weights.offsets.begin(), weights.offsets.end(), 0u);
  weights.bones.assign(bone_of_vertex.begin(), bone_of_vertex.end());
  weights.values.assign(bone_of_vertex.size(), 1.0f);
  return weights;
}

}  // namespace marrow::synthetic
