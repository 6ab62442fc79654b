#include "synthetic/common.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "marrow/error.hpp"
#include "marrow/metrics.hpp"

namespace marrow::synthetic {
namespace {

constexpr std::size_t fewest_vertices = 20;
// Face corners (4 to 6 per vertex) and weights (up to 4) have 32-bit indices.
constexpr std::size_t most_vertices = std::size_t(1) << 29;
constexpr std::size_t most_frames = std::size_t(1) << 24;

}  // namespace

void check(const Options& options, const char* where) {
  const auto refuse = [&](std::string message) {
    throw Error(ErrorCode::bad_request, fmt::format("synthetic::{}", where), std::move(message));
  };
  if (options.vertices < fewest_vertices || options.vertices > most_vertices) {
    refuse(fmt::format("{} vertices; ask for {} to {}", options.vertices, fewest_vertices, most_vertices));
  }
  if (options.frames < 2 || options.frames > most_frames) {
    refuse(fmt::format("{} frames; ask for 2 to {}", options.frames, most_frames));
  }
  if (!(options.noise >= 0) || !std::isfinite(options.noise)) {
    refuse(fmt::format("noise of {}; give a standard deviation of 0 or more, as a share of the size", options.noise));
  }
}

Random random_stream(std::uint64_t seed, std::uint64_t index) {
  // The first draw scrambles the seed: neighbouring seeds and indices would otherwise give shifted copies of one
  // stream.
  return Random(Random(seed).bits() ^ Random(~index).bits());
}

void add_noise(Sequence& sequence, const Options& options, const Run& run) {
  if (options.noise == 0) return;
  const double sigma = options.noise * size_of(sequence.mesh.positions);
  parallel_for(run, "adding noise", sequence.frames(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      Random random = random_stream(options.seed, t);
      for (Vec3& p : sequence.frame(t)) {
        p.x = float(p.x + sigma * random.normal());
        p.y = float(p.y + sigma * random.normal());
        p.z = float(p.z + sigma * random.normal());
      }
    }
  });
}

}  // namespace marrow::synthetic
