// Time and memory of write_glb on a large rig.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "marrow/io.hpp"

namespace {

/// A wavy square sheet of quads; four influences per vertex from a row of rotating bones.
marrow::Rig sheet(std::uint32_t side, std::uint32_t bones, std::size_t frames) {
  marrow::Rig rig;
  const std::size_t vertices = std::size_t(side) * side, quads = std::size_t(side - 1) * (side - 1);
  rig.mesh.positions.reserve(vertices);
  rig.mesh.face_offsets.reserve(quads + 1);
  rig.mesh.face_vertices.reserve(4 * quads);
  rig.weights.offsets.reserve(vertices + 1);
  rig.weights.bones.reserve(4 * vertices);
  rig.weights.values.reserve(4 * vertices);
  rig.weights.offsets.push_back(0);
  for (std::uint32_t y = 0; y < side; ++y) {
    for (std::uint32_t x = 0; x < side; ++x) {
      const float u = float(x) / float(side), v = float(y) / float(side);
      rig.mesh.positions.push_back({u, v, 0.1f * std::sin(9 * u * v)});
      const std::uint32_t first = std::min(x * bones / side, bones - 4);
      for (std::uint32_t k = 0; k < 4; ++k) {
        rig.weights.bones.push_back(first + k);
        rig.weights.values.push_back(0.25f);
      }
      rig.weights.offsets.push_back(std::uint32_t(rig.weights.bones.size()));
    }
  }
  rig.mesh.face_offsets.push_back(0);
  for (std::uint32_t y = 0; y + 1 < side; ++y) {
    for (std::uint32_t x = 0; x + 1 < side; ++x) {
      const std::uint32_t a = y * side + x;
      for (const std::uint32_t v : {a, a + 1, a + side + 1, a + side}) rig.mesh.face_vertices.push_back(v);
      rig.mesh.face_offsets.push_back(std::uint32_t(rig.mesh.face_vertices.size()));
    }
  }
  rig.skeleton = marrow::centroid_skeleton(rig.mesh, rig.weights, bones);
  rig.motion = {marrow::Timeline::uniform(frames, 30), bones, {}};
  for (std::size_t t = 0; t < frames; ++t) {
    for (std::uint32_t j = 0; j < bones; ++j) {
      const double angle = 0.01 * double(t) * j, c = std::cos(angle), s = std::sin(angle);
      // Rotation with shear: a flexible bone.
      rig.motion.transforms.push_back({{c, -s + 0.1 * c, 0, 0, s, c + 0.1 * s, 0, 0, 0, 0, 1, angle}});
    }
  }
  return rig;
}

/// Peak memory of the process includes the rig; run this benchmark alone.
void glb_write_million(benchmark::State& state) {
  const marrow::Rig rig = sheet(1000, 64, 100);
  const auto file = std::filesystem::temp_directory_path() / ("marrow_bench_" + std::to_string(getpid()) + ".glb");
  for (auto _ : state) marrow::write_glb(rig, file);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto file_bytes = double(std::filesystem::file_size(file));
  state.counters["file_MB"] = file_bytes / 1e6;
  state.counters["peak_MB"] = double(usage.ru_maxrss) * 1024 / 1e6;
  state.counters["peak_per_file"] = double(usage.ru_maxrss) * 1024 / file_bytes;
  std::filesystem::remove(file);
}
BENCHMARK(glb_write_million)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
