// Time and memory of decompose() against vertices and frames; generating the data is not measured: marrow_scale
// VERTICES FRAMES BONES
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <string>

#include "marrow/decompose.hpp"
#include "marrow/deform.hpp"
#include "marrow/metrics.hpp"
#include "marrow/synthetic.hpp"

namespace {

double peak_gigabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1048576;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: marrow_scale VERTICES FRAMES BONES\n");
    return 2;
  }
  const std::size_t vertices = std::stoul(argv[1]), frames = std::stoul(argv[2]), bones = std::stoul(argv[3]);
  const marrow::Sequence sequence =
      marrow::bake(marrow::synthetic::quadruped({.vertices = vertices, .frames = frames}));
  const double before = peak_gigabytes();
  const auto start = std::chrono::steady_clock::now();
  const marrow::Result<marrow::Rig> result = marrow::decompose(sequence, {.bones = bones});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double after = peak_gigabytes();
  fmt::print("{} vertices, {} frames, {} bones: {:.2f} s, peak {:.2f} GB ({:.2f} GB before), E_RMS {:.4f}\n",
             sequence.vertices(), sequence.frames(), bones, seconds, after, before,
             marrow::compare(sequence, result.value).e_rms);
  for (const auto& [stage, time] : result.report.timings) fmt::print("  {}: {:.2f} s\n", stage, time);
  return 0;
}
