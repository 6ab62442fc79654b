#include "marrow/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "common.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"
#include "report.hpp"

namespace marrow::cli {
namespace {

struct Reduce {
  Common common;
  Input input;
  std::string out;
  std::string report;
  std::string original;
  Sampling sampling;
  ReduceOptions options;
};

/// The frames to compare with, and the rig that plays them.
struct Played {
  Sequence original;
  Rig rig;
};

Played play(const Reduce& args, const ReduceOptions& options, const Rig& rig, const Rig& result,
            std::optional<Sequence> target, const Run& run) {
  Rig reduced = result;
  if (target) return {std::move(*target), std::move(reduced)};
  Run seeded = run;
  seeded.seed = args.sampling.seed;
  Rig dense = rig;
  dense.motion = reduced.motion = reduction_poses(rig, options, seeded);
  return {bake(dense, run), std::move(reduced)};
}

int run_rig(const Reduce& args, const CLI::App& app, ReduceOptions options, Run run) {
  check_output(args.out, {".glb"}, "a rig is written as GLB, and NPY is for weights that came as NPY");
  const bool given = !args.original.empty() && args.original != "clips";
  if (!given) refuse(app, {"--rest"}, rest_of_original);
  run.seed = args.sampling.seed;
  Stages stages(run, usual_shares());
  const Rig rig = read_skin(args.input, "one skinned GLB or one NPY", stages.next());
  const bool sampled = args.original.empty() && (options.sample > 0 || !tells_bones_apart(rig.motion));
  if (args.original == "clips" && !tells_bones_apart(rig.motion)) {
    throw Error(ErrorCode::bad_request, "--original clips", "the input has no clips in which its bones move");
  }
  if (!sampled)
    refuse(app, {"--ranges", "--seed"}, "goes with random poses only, and here the clips are used; give --sample N");
  if (sampled) options.ranges = find_ranges(args.sampling, rig);
  std::optional<Sequence> target;
  if (given) target = read_original_of(rig, args.original, args.input, silent(run));
  Result<Rig> result = reduce(rig, options, target ? &*target : nullptr, stages.next());
  warn(result.report, run);
  write_glb(result.value, args.out, {}, stages.next());
  Result<Rig> played{{}, result.report};
  Played pair = play(args, options, rig, result.value, std::move(target), silent(run));
  played.value = std::move(pair.rig);
  const Metrics metrics = compare(pair.original, played.value, stages.next());
  end_progress();
  write_report(args.report, args.input.name(), pair.original, played, metrics, run);
  if (args.common.json) {
    fmt::print("{}\n", report_object(played, metrics).dump(2));
  } else {
    fmt::print("{} to {} influences, {} poses: {}, fairness {:.4f} %\n", rig.weights.max_influences(),
               result.value.weights.max_influences(), pair.original.frames(), error_summary(metrics),
               metrics.percent(metrics.fairness));
    print_written(args.out, args.report);
  }
  return Exit::done;
}

/// Convex rows as a rig of bones at the middles of what they move.
Rig to_still_rig(const Matrix& matrix, const Mesh& mesh) {
  Rig rig{mesh, {}, {}, {}};
  rig.weights.offsets.push_back(0);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::uint32_t j = 0; j < matrix.columns; ++j) {
      if (!(matrix.row(i)[j] > 0)) continue;
      rig.weights.bones.push_back(j);
      rig.weights.values.push_back(matrix.row(i)[j]);
    }
    rig.weights.offsets.push_back(std::uint32_t(rig.weights.bones.size()));
  }
  rig.skeleton = centroid_skeleton(mesh, rig.weights, matrix.columns);
  rig.motion.bones = matrix.columns;
  return rig;
}

int run_matrix(const Reduce& args, const CLI::App& app, ReduceOptions options, const Run& run) {
  refuse(app, {"--original", "--sample", "--ranges", "--seed", "--report"}, "goes with a GLB only");
  if (!args.common.flags.given("method")) options.method = ReduceMethod::klargest;
  check_output(args.out, {".npy", ".glb"}, "weights from an NPY are written as NPY or GLB");
  const auto [weights, mesh] = read_matrix(args.input, run);
  Result<Matrix> result = reduce(weights, mesh, options, run);
  warn(result.report, run);
  if (suffix_of(args.out) == ".glb") {
    if (std::ranges::any_of(result.value.values, [](float w) { return w < 0; })) {
      throw Error(ErrorCode::bad_request, "--out", "negative weights do not fit into a GLB; write an NPY");
    }
    write_glb(to_still_rig(result.value, mesh), args.out, {}, run);
  } else {
    write_npy(result.value, args.out);
  }
  end_progress();
  if (args.common.json) {
    fmt::print("{}\n", to_json(result.report));
  } else {
    fmt::print("{} vertices, {} columns, {} influences\nwrote {}\n", with_thousands(weights.rows), weights.columns,
               std::min(options.influences, weights.columns), args.out);
  }
  return Exit::done;
}

int run(const Reduce& args, const CLI::App& app) {
  check_folder(args.report);
  return args.input.is_matrix() ? run_matrix(args, app, args.options, args.common.run())
                                : run_rig(args, app, args.options, args.common.run());
}

}  // namespace

Command make_reduce(CLI::App& root) {
  const auto args = std::make_shared<Reduce>();
  CLI::App* app = add_command(root, args->common, "reduce", "Reduce the number of bones per vertex",
                              "marrow reduce dense.glb --influences 4 -o game.glb");
  add_weights_input(*app, args->common, args->input);
  app->add_option("-o,--out", args->out, "GLB to write; for weights from an NPY, NPY or (without negative ones) GLB")
      ->required();
  args->common.flags.add(*app, args->options);
  add_original(*app, args->original, "Frames to match: a sequence, or \"clips\", the rig's own (default clips)");
  add_sampling(*app, args->sampling, "With random poses");
  add_report(*app, args->report);
  return {app, with_options(args->common.flags, [args, app] { return run(*args, *app); })};
}

}  // namespace marrow::cli
