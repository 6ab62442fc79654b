#include <fmt/format.h>

#include <memory>
#include <optional>

#include "common.hpp"
#include "marrow/deform.hpp"

namespace marrow::cli {
namespace {

struct Compare {
  Common common;
  Input input;
  std::string original;
  std::string approximation;
  std::string error;
  bool per_vertex = false;
};

void print_row(const char* name, double value, const Metrics& metrics) {
  fmt::print("  {:<10}{:>12.6g}{:>12.4f} %\n", name, value, metrics.percent(value));
}

void print(const Metrics& metrics) {
  fmt::print("{} vertices, {} frames, size {:.6g}\n\n", with_thousands(metrics.vertices),
             with_thousands(metrics.frames), metrics.size);
  fmt::print("E_RMS       {:.4f}\n", metrics.e_rms);
  fmt::print("distortion  {:.4f} %\n\n", metrics.distortion);
  fmt::print("vertex distance, model units and % of the size\n");
  print_row("RMS", metrics.error.rms, metrics);
  print_row("median", metrics.error.median, metrics);
  print_row("95 %", metrics.error.p95, metrics);
  print_row("99 %", metrics.error.p99, metrics);
  print_row("max", metrics.error.max, metrics);
  fmt::print("  worst: vertex {} in frame {}\n\n", metrics.worst_vertex, metrics.worst_frame);
  fmt::print("normals     {:.3f} degrees RMS, {:.2f} at most\n", metrics.normal_rms, metrics.normal_max);
  fmt::print("fairness    {:.6g} ({:.4f} % of the size)\n", metrics.fairness, metrics.percent(metrics.fairness));
}

Metrics judge(const std::string& file, const ReadOptions& options, const Sequence& original, const Run& run) {
  if (const std::optional<Model> model = read_model(file, options, run)) return compare(original, *model, run);
  const Animated other = read({file}, options, run);
  return std::visit([&](const auto& value) { return compare(original, value, run); }, other);
}

int run(const Compare& args) {
  const std::optional<ErrorBound> bound = parse_error_bound(args.error);
  const Run run = args.common.run();
  const ReadOptions options = args.input.options();
  const Sequence original = read_frames({args.original}, options, run);
  const Metrics metrics = judge(args.approximation, options, original, run);
  end_progress();
  if (args.common.json) {
    fmt::print("{}\n", to_json(metrics, args.per_vertex));
  } else {
    print(metrics);
  }
  return check_bound(bound, metrics, args.error);
}

}  // namespace

Command make_compare(CLI::App& root) {
  const auto args = std::make_shared<Compare>();
  CLI::App* app = add_command(root, args->common, "compare", "Measure how far B is from the original A",
                              "marrow compare horse.pc2 horse_rig.glb --error 1.5");
  app->add_option("A", args->original, "The original: a sequence or a rig")->required();
  app->add_option("B", args->approximation, "What to judge: a sequence or a rig with the same vertices")->required();
  add_read_flags(*app, args->input);
  app->add_option("--error", args->error,
                  "Exit with 3 when the error is above this: 1.5 (E_RMS), 0.2% (RMS, of the size) or 3u (RMS, model "
                  "units)");
  app->add_flag("--per-vertex", args->per_vertex, "With --json: list the error of every vertex");
  return {app, [args] { return run(*args); }};
}

}  // namespace marrow::cli
