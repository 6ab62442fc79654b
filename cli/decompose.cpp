#include "marrow/decompose.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "common.hpp"

namespace marrow::cli {
namespace {

struct Decompose {
  Common common;
  Input input;
  std::string out;
  std::string influences = "4";
  std::string effort = "normal";
  std::string error;
  std::string report;
  std::size_t bones = 20;
};

const std::map<std::string, Effort> efforts = {
    {"fast", Effort::fast}, {"normal", Effort::normal}, {"best", Effort::best}};

nlohmann::ordered_json to_object(const Result<Rig>& result, const Metrics& metrics) {
  auto json = nlohmann::ordered_json::parse(to_json(result.report));
  const Bytes bytes = storage(result.value);
  json["reached"] = {{"bones", result.value.bones()},
                     {"influences", result.value.weights.max_influences()},
                     {"bytes", {{"rig", bytes.rig}, {"raw_frames", bytes.raw_frames}}},
                     {"metrics", nlohmann::ordered_json::parse(to_json(metrics))}};
  return json;
}

int run(const Decompose& args) {
  const std::optional<ErrorBound> bound =
      args.error.empty() ? std::nullopt : std::optional(parse_error_bound(args.error));
  const Run run = args.common.run();
  const Sequence sequence = read_sequence(args.input.files, args.input.options(), run);
  const DecomposeOptions options{
      .bones = args.bones,
      .influences = args.influences == "all" ? args.bones : parse_count(args.influences, "--influences"),
      .effort = efforts.at(args.effort)};
  const Result<Rig> result = decompose(sequence, options, run);
  for (const std::string& warning : result.report.warnings) run.warn(warning);
  write_glb(result.value, args.out, {}, run);
  const Metrics metrics = compare(sequence, result.value, run);
  end_progress();
  const auto json = to_object(result, metrics);
  if (!args.report.empty()) write_text(json.dump(2) + "\n", args.report);
  if (args.common.json) {
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{} bones, {} influences: E_RMS {:.4f}, RMS {:.4f} % of the size, max {:.3f} %\nwrote {}\n",
               result.value.bones(), result.value.weights.max_influences(), metrics.e_rms,
               metrics.percent(metrics.error.rms), metrics.percent(metrics.error.max), args.out);
  }
  return check_bound(bound, metrics, args.error);
}

}  // namespace

Command make_decompose(CLI::App& root) {
  const auto args = std::make_shared<Decompose>();
  CLI::App* app = add_command(root, args->common, "decompose", "Turn a mesh sequence into rigid bones and weights",
                              "marrow decompose horse.pc2 --bones 20 -o horse.glb");
  add_input(*app, args->input);
  app->add_option("-o,--out", args->out, "GLB to write")->required();
  app->add_option("--bones", args->bones, "Number of bones (default 20)");
  app->add_option("--influences", args->influences, "Bones per vertex, at most, or \"all\" (default 4)");
  app->add_option("--effort", args->effort, "fast, normal or best (default normal)")->check(CLI::IsMember(efforts));
  app->add_option("--error", args->error, "Exit with 3 when the error is above this: 1.5 (E_RMS), 0.2% or 3u");
  app->add_option("--report", args->report, "JSON file to write: what was asked, what was reached, times");
  return {app, [args] { return run(*args); }};
}

}  // namespace marrow::cli
