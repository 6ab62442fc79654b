#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "core/random.hpp"
#include "deform/kernels/skin.hpp"
#include "marrow/deform.hpp"
#include "marrow/metrics.hpp"

namespace marrow {
namespace {

/// A sheet of side x side vertices whose bones stand along x; each vertex follows its nearest four.
Rig sheet(std::uint32_t side, std::size_t frames, std::uint32_t bones) {
  Rig rig;
  rig.mesh.face_offsets = {0};
  rig.weights.offsets = {0};
  for (std::uint32_t i = 0; i < side * side; ++i) {
    const std::uint32_t row = i / side, column = i % side;
    rig.mesh.positions.push_back({float(column), 0, float(row)});
    const std::uint32_t first = column * (bones - 3) / side;
    for (std::uint32_t k = 0; k < 4; ++k) {
      rig.weights.bones.push_back(first + k);
      rig.weights.values.push_back(0.25f);
    }
    rig.weights.offsets.push_back(4 * (i + 1));
    if (row + 1 == side || column + 1 == side) continue;
    for (const std::uint32_t v : {i, i + side, i + side + 1, i + 1}) rig.mesh.face_vertices.push_back(v);
    rig.mesh.face_offsets.push_back(std::uint32_t(rig.mesh.face_vertices.size()));
  }
  rig.skeleton = centroid_skeleton(rig.mesh, rig.weights, bones);
  rig.motion.timeline = Timeline::uniform(frames, 30);
  rig.motion.bones = bones;
  Random random(1);
  for (std::size_t k = 0; k < frames * bones; ++k) {
    const double angle = random.uniform(-0.5, 0.5), c = std::cos(angle), s = std::sin(angle);
    rig.motion.transforms.push_back({{c, -s, 0, random.normal(), s, c, 0, random.normal(), 0, 0, 1, 0}});
  }
  return rig;
}

const Rig& large_rig() {
  static const Rig rig = sheet(316, 50, 24);  // 99,856 vertices
  return rig;
}

/// The frames with slight noise, so that no error is zero.
Sequence observed(const Rig& rig) {
  Sequence sequence = bake(rig);
  Random random(2);
  for (Vec3& p : sequence.positions) p.y += float(random.uniform(-0.01, 0.01));
  return sequence;
}

void count_vertices(benchmark::State& state, std::size_t per_iteration) {
  state.SetItemsProcessed(state.iterations() * std::int64_t(per_iteration));
}

void compare_rig(benchmark::State& state) {
  const Rig& rig = large_rig();
  const Sequence original = observed(rig);
  const Run run{.threads = int(state.range(0))};
  while (state.KeepRunning()) benchmark::DoNotOptimize(compare(original, rig, run));
  count_vertices(state, rig.vertices() * rig.frames());
}
BENCHMARK(compare_rig)->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond)->UseRealTime();

void compare_sequences(benchmark::State& state) {
  const Sequence original = observed(large_rig()), approximation = bake(large_rig());
  const Run run{.threads = int(state.range(0))};
  while (state.KeepRunning()) benchmark::DoNotOptimize(compare(original, approximation, run));
  count_vertices(state, original.positions.size());
}
BENCHMARK(compare_sequences)->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond)->UseRealTime();

void ball_of_a_million(benchmark::State& state) {
  Random random(3);
  std::vector<Vec3> points(1'000'000);
  for (Vec3& p : points) {
    p = {float(random.normal()), float(random.normal()), float(random.normal())};
  }
  while (state.KeepRunning()) benchmark::DoNotOptimize(smallest_enclosing_ball(points));
  count_vertices(state, points.size());
}
BENCHMARK(ball_of_a_million)->Unit(benchmark::kMillisecond);

void deform_reference(benchmark::State& state) {
  const Rig& rig = large_rig();
  std::vector<Vec3> out(rig.vertices());
  while (state.KeepRunning()) {
    deform(rig, rig.motion.frame(1), out);
    benchmark::ClobberMemory();
  }
  count_vertices(state, rig.vertices());
}
BENCHMARK(deform_reference)->Unit(benchmark::kMicrosecond);

/// One frame by the kernel of one instruction-set level.
void deform_level(benchmark::State& state) {
  kernels::SkinLevel levels[3];
  const auto level = std::size_t(state.range(0));
  if (level >= kernels::runnable_skin_levels(levels)) {
    state.SkipWithError("this machine does not have the level");
    return;
  }
  state.SetLabel(levels[level].name);
  const Rig& rig = large_rig();
  std::vector<double> matrices(16 * rig.bones());
  for (std::size_t j = 0; j < rig.bones(); ++j) {
    for (std::size_t k = 0; k < 12; ++k) matrices[16 * j + 4 * (k % 4) + k / 4] = rig.motion.frame(1)[j].m[k];
  }
  std::vector<Vec3> out(rig.vertices());
  const Weights& w = rig.weights;
  while (state.KeepRunning()) {
    levels[level].function({&rig.mesh.positions.data()->x, w.offsets.data(), w.bones.data(), w.values.data()},
                           matrices.data(), &out.data()->x, 0, rig.vertices());
    benchmark::ClobberMemory();
  }
  count_vertices(state, rig.vertices());
}
BENCHMARK(deform_level)->DenseRange(0, 2)->Unit(benchmark::kMicrosecond);

/// Lower bound: moves as many bytes as skinning reads and writes.
void deform_bound(benchmark::State& state) {
  const Rig& rig = large_rig();
  const std::size_t entries = rig.weights.values.size();
  const std::size_t read = rig.vertices() * (sizeof(Vec3) + 4) + entries * 8, written = rig.vertices() * sizeof(Vec3);
  std::vector<char> from(read, 1), to(read);
  while (state.KeepRunning()) {
    std::memcpy(to.data(), from.data(), (read + written) / 2);
    benchmark::ClobberMemory();
  }
  count_vertices(state, rig.vertices());
}
BENCHMARK(deform_bound)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace marrow
