#include "synthetic/common.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "marrow/error.hpp"
#include "marrow/metrics.hpp"

namespace marrow::synthetic {
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
