#include <fmt/format.h>

#include <memory>
#include <optional>

#include "common.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"

namespace marrow::cli {
namespace {

struct Compare {
  Common common;
  Input input;
  std::string original;
  std::string error;
  bool per_vertex = false;
};

void print_row(const char* name, double value, const Metrics& metrics) {
  fmt::print("  {:<10}{:>12.6g}{:>12.4f} %\n", name, value, metrics.percent(value));
}

void print(const Metrics& metrics) {
  fmt::print("{} vertices, {} frames, size {:.6g}\n\n", with_thousands(metrics.vertices),
             with_thousands(metrics.frames), metrics.size);
  fmt::print("{}\n\n", error_summary(metrics));
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

Metrics judge(const Input& input, const Sequence& original, const Run& run) {
  if (const std::optional<Model> model = read_model(input, run)) return compare(original, *model, run);
  const Animated other = read_input(input, silent(run));
  return std::visit([&](const auto& value) { return compare(original, value, run); }, other);
}

int run(const Compare& args) {
  const std::optional<ErrorBound> bound = parse_error_bound(args.error);
  if (args.original.empty()) {
    throw Error(ErrorCode::bad_request, "--original", "give the frames to compare with");
  }
  const Run run = args.common.run();
  Stages stages(run, {1, 2});
  const Sequence original = read_original({args.original}, args.input, stages.next());
  const Metrics metrics = judge(args.input, original, stages.next());
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
  CLI::App* app = add_command(root, args->common, "compare", "Measure how far a sequence or a rig is from its original",
                              "marrow compare rig.glb --original horse.pc2 --error 1.5");
  add_input(*app, args->common, args->input);
  add_original(*app, args->original, "Frames to compare with: a sequence or a rig with the same vertices");
  app->add_option("--error", args->error, fmt::format("Exit with 3 when the error is above this: {}", error_grammar));
  app->add_flag("--per-vertex", args->per_vertex, "With --json: list the error of every vertex");
  return {app, with_options(args->common.flags, [args] { return run(*args); })};
}

}  // namespace marrow::cli
