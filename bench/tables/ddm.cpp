// Time and memory of building Direct Delta Mush on a generated body: marrow_ddm_scale VERTICES BONES [THREADS]
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <limits>

#include "marrow/ddm.hpp"
#include "marrow/synthetic.hpp"

namespace {

using namespace marrow;

double squared_distance(const Vec3& a, const Vec3& b) {
  const double x = double(a.x) - b.x, y = double(a.y) - b.y, z = double(a.z) - b.z;
  return x * x + y * y + z * z;
}

/// `count` vertices by farthest-point sampling.
std::vector<Vec3> spread_out(const Mesh& mesh, std::size_t count) {
  std::vector<Vec3> chosen{mesh.positions.front()};
  std::vector<double> nearest(mesh.vertices(), std::numeric_limits<double>::infinity());
  while (chosen.size() < count) {
    for (std::size_t i = 0; i < mesh.vertices(); ++i) {
      nearest[i] = std::min(nearest[i], squared_distance(mesh.positions[i], chosen.back()));
    }
    chosen.push_back(mesh.positions[std::size_t(std::ranges::max_element(nearest) - nearest.begin())]);
  }
  return chosen;
}

/// A body whose vertices follow the nearest of `bones` points on it. The motion does not matter here.
Rig body(std::size_t vertices, std::size_t bones) {
  Rig rig = synthetic::quadruped({.vertices = vertices, .frames = 2});
  const std::vector<Vec3> places = spread_out(rig.mesh, bones);
  rig.weights = {{0}, {}, {}};
  for (const Vec3& p : rig.mesh.positions) {
    const auto nearest = std::ranges::min_element(places, {}, [&](const Vec3& q) { return squared_distance(p, q); });
    rig.weights.bones.push_back(std::uint32_t(nearest - places.begin()));
    rig.weights.values.push_back(1);
    rig.weights.offsets.push_back(std::uint32_t(rig.weights.bones.size()));
  }
  rig.skeleton = centroid_skeleton(rig.mesh, rig.weights, bones);
  rig.motion = {Timeline::uniform(1, 30), bones, std::vector<Affine>(bones)};
  return rig;
}

double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t vertices = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 25000;
  const std::size_t bones = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 65;
  const int threads = argc > 3 ? std::atoi(argv[3]) : 0;
  const Rig rig = body(vertices, bones);
  const double before = peak_mebibytes();
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  const Result<DdmRig> result = make_ddm(rig, {}, {.threads = threads});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{} vertices, {} bones: {:.2f} s, {:.2f} processor seconds, peak {:.0f} MiB ({:.0f} before)\n",
             rig.vertices(), bones, seconds, double(std::clock() - processor) / CLOCKS_PER_SEC, peak_mebibytes(),
             before);
  for (const auto& [stage, lap] : result.report.timings) fmt::print("  {}: {:.3f} s\n", stage, lap);
  for (const auto& [name, value] : result.report.figures) fmt::print("  {}: {:.5g}\n", name, value);
}
