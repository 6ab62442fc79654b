// Le & Deng 2014: rigidness Laplacian of the weights.
// Differs: springs scale with the squared error, so that a strength means about the same in every data set.
#include "lbs/smoothness.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.hpp"

namespace marrow::lbs {
namespace {

/// Added to the relative stretch of an edge, as a share of the radius: bounds the stiffness of rigid edges.
constexpr double least_stretch = 2e-3;
/// Most frames used to measure edges, at equal steps.
constexpr std::size_t enough_frames = 32;
/// Vertices per chunk.
constexpr std::size_t vertices_per_chunk = 256;
/// At strength 1, a weight difference of 1 costs this many times the mean squared error of a vertex.
constexpr double unit_spring = 50;

double squared_distance(const Vec3& a, const Vec3& b) {
  const double x = double(a.x) - b.x, y = double(a.y) - b.y, z = double(a.z) - b.z;
  return x * x + y * y + z * z;
}

/// sum_k (w_ak - w_bk)^2 of sparse rows.
double squared_gap(const SlotWeights& w, std::size_t a, std::size_t b) {
  const std::size_t slots = w.influences;
  double sum = 0;
  for (std::size_t s = 0; s < w.used[a]; ++s) {
    double other = 0;
    for (std::size_t r = 0; r < w.used[b]; ++r) {
      if (w.bones[b * slots + r] == w.bones[a * slots + s]) other = w.values[b * slots + r];
    }
    const double gap = w.values[a * slots + s] - other;
    sum += gap * gap;
  }
  for (std::size_t r = 0; r < w.used[b]; ++r) {
    bool shared = false;
    for (std::size_t s = 0; s < w.used[a]; ++s) shared |= w.bones[a * slots + s] == w.bones[b * slots + r];
    if (!shared) sum += w.values[b * slots + r] * w.values[b * slots + r];
  }
  return sum;
}

}  // namespace

double Smoothness::energy(const SlotWeights& weights, const Run& run) const {
  if (!active()) return 0;
  const std::size_t count = neighbours->offsets.size() - 1;
  std::vector<double> partial((count + vertices_per_chunk - 1) / vertices_per_chunk, 0);
  parallel_for(run, count, vertices_per_chunk, [&](std::size_t begin, std::size_t end) {
    double& sum = partial[begin / vertices_per_chunk];
    for (std::size_t a = begin; a < end; ++a) {
      for (std::size_t e = neighbours->offsets[a]; e < neighbours->offsets[a + 1]; ++e) {
        const std::size_t b = neighbours->indices[e];
        if (a < b) sum += springs[e] * squared_gap(weights, a, b);
      }
    }
  });
  return std::accumulate(partial.begin(), partial.end(), 0.0);
}

Smoothness make_smoothness(const Sequence& sequence, const Space& space, const Neighbours& neighbours, double strength,
                           double e_rms_so_far, const Run& run) {
  Smoothness result;
  result.neighbours = &neighbours;
  if (strength <= 0 || e_rms_so_far <= 0) return result;
  const std::size_t count = sequence.vertices();
  const auto frames = double(space.frames);
  const double unit = strength * unit_spring * 3e-6 * e_rms_so_far * e_rms_so_far * frames;
  const std::size_t looked_at = std::min(space.frames, enough_frames);
  std::vector<double> rigidness(neighbours.indices.size()), total(count, 0);
  parallel_for(run, count, vertices_per_chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      for (std::size_t e = neighbours.offsets[a]; e < neighbours.offsets[a + 1]; ++e) {
        const std::size_t b = neighbours.indices[e];
        const double rest = std::sqrt(squared_distance(sequence.mesh.positions[a], sequence.mesh.positions[b]));
        double sum = 0;
        for (std::size_t slots = 0; slots < looked_at; ++slots) {
          const std::size_t t = slots * space.frames / looked_at;
          const double gap = std::sqrt(squared_distance(sequence.frame(t)[a], sequence.frame(t)[b])) - rest;
          sum += gap * gap;
        }
        rigidness[e] = 1 / (least_stretch + std::sqrt(sum / double(looked_at)) / space.radius);
        total[a] += rigidness[e];
      }
    }
  });
  result.springs.resize(rigidness.size());
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t e = neighbours.offsets[a]; e < neighbours.offsets[a + 1]; ++e) {
      result.springs[e] = unit * rigidness[e] / std::sqrt(total[a] * total[neighbours.indices[e]]);
    }
  }
  return result;
}

}  // namespace marrow::lbs
