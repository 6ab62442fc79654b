// The skeleton of the walking quadruped under noise: wrong joints of the tree, and the largest error of a joint.
#include <fmt/format.h>

#include <chrono>

#include "marrow/skeleton.hpp"
#include "marrow/synthetic.hpp"
#include "metrics/tree_difference.hpp"

int main() {
  struct Case {
    std::size_t vertices, frames;
    double noise;
  };
  fmt::print("vertices,frames,noise_percent,seed,links_missing,worst_joint_percent,seconds\n");
  for (const auto& [vertices, frames, noise] : {Case{1200, 30, 0.001}, Case{1200, 30, 0.0015}, Case{1200, 30, 0.002},
                                                Case{1500, 45, 0.002}, Case{2000, 60, 0.002}, Case{3000, 60, 0.002}}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const marrow::synthetic::Options options{.vertices = vertices, .frames = frames, .noise = noise, .seed = seed};
      const marrow::Rig truth = marrow::synthetic::quadruped(options);
      const marrow::Sequence sequence = marrow::synthetic::observe(truth, options);
      const auto start = std::chrono::steady_clock::now();
      const marrow::Rig found = marrow::extract_skeleton(sequence, {.bones = truth.bones()}).value;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      const auto difference = marrow::tree_difference(truth, found);
      fmt::print("{},{},{},{},{},{:.2f},{:.1f}\n", vertices, frames, 100 * noise, seed, difference.missing.size(),
                 100 * difference.worst, seconds);
      std::fflush(stdout);
    }
  }
  return 0;
}
