#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "marrow/ddm_compression.hpp"
#include "marrow/io.hpp"

using namespace marrow;

int main(int argc, char** argv) {
  const Rig rig = read_rig(argv[1]);
  const double rr = std::atof(argv[2]), tr = std::atof(argv[3]), prune = std::atof(argv[4]);
  const auto made = make_ddm(rig, {.rigid_bind = std::getenv("KEEP") == nullptr, .rotation_reach = rr, .translation_reach = tr, .alpha = 0.5, .prune = prune});
  const DdmRig& ddm = made.value;
  std::size_t rigid = 0;
  for (std::size_t i = 0; i < ddm.vertices(); ++i) rigid += ddm.multi_weights.offsets[i + 1] - ddm.multi_weights.offsets[i] == 1;
  fmt::print("{} vertices {} bones {} frames; {:.2f} mw per vertex, {} bytes; rigid {:.3f}\n", ddm.vertices(), ddm.bones(),
             rig.frames(), double(ddm.multi_weights.bones.size()) / double(ddm.vertices()), storage(ddm),
             double(rigid) / double(ddm.vertices()));
  for (const auto& [name, value] : made.report.figures) fmt::print("  {}: {:.5g}\n", name, value);
  if (argc < 6) return 0;
  const Sequence truth = bake(ddm);
  float low = 1e9f, high = -1e9f;
  for (const Vec3& p : rig.mesh.positions) low = std::min(low, p.y), high = std::max(high, p.y);
  const double height = double(high) - low;
  const RangesOfMotion ranges = default_ranges(rig.skeleton);
  DdmCompressionOptions options;
  options.virtual_bones = std::strtoul(argv[5], nullptr, 10);
  options.influences = argc > 6 ? std::strtoul(argv[6], nullptr, 10) : 4;
  const std::string method = argc > 7 ? argv[7] : "refined";
  options.method = method == "paper" ? DdmCompressionMethod::paper : method == "scalar" ? DdmCompressionMethod::scalar_only : DdmCompressionMethod::refined;
  for (int k = 8; k < argc; ++k) {
    const std::string a = argv[k];
    const auto eq = a.find('=');
    const std::string key = a.substr(0, eq);
    const double value = std::atof(a.c_str() + eq + 1);
    if (key == "it") options.iterations = int(value);
    if (key == "poses") options.poses = std::size_t(value);
    if (key == "worst") options.worst = value;
    if (key == "sparsity") options.sparsity = value;
    if (key == "smooth") options.smoothness = value;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto cpu = std::clock();
  const auto result = compress(ddm, options, ranges);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Metrics m = compare(truth, result.value);
  const double cm = 175 / height;
  fmt::print("{} P {} Z {}: median {:.4f} rms {:.4f} p99 {:.3f} max {:.2f} cm | rms {:.4f} %h | {:.1f} KB ratio {:.2f} | z {:.2f} J {:.1f} | {:.1f} s wall {:.1f} s cpu\n",
             method, options.virtual_bones, options.influences, m.error.median * cm, m.error.rms * cm, m.error.p99 * cm, m.error.max * cm,
             100 * m.error.rms / height, double(storage(result.value)) / 1024, double(storage(ddm)) / double(storage(result.value)),
             double(result.value.weights.bones.size()) / double(ddm.vertices()),
             double(result.value.virtual_bones.bones.size()) / double(result.value.virtual_bone_count()), wall,
             double(std::clock() - cpu) / CLOCKS_PER_SEC);
  for (const auto& [stage, lap] : result.report.timings) fmt::print("  {}: {:.2f} s\n", stage, lap);
  fmt::print("  curve:");
  for (const double e : result.report.error_curve) fmt::print(" {:.4f}", e * cm);
  fmt::print("\n");
}
