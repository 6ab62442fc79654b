#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "common.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"
#include "marrow/two_layer.hpp"
#include "marrow/view.hpp"
#include "report.hpp"

namespace marrow::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Engines rarely take more bones than this in one skin.
constexpr std::size_t usual_bones = 256;

struct Compress {
  Common common;
  Input input;
  std::string out;
  std::string report;
  std::string original;
  std::string error;
  std::optional<double> weight_error;
  bool bake = false;
  CompressOptions options;
  GlbOptions glb;
};

/// What came in and what came out; a matrix of weights has no rig of its own and no poses.
struct Compressed {
  std::optional<Rig> rig;
  std::optional<Matrix> matrix;
  std::optional<Sequence> original;  ///< what to compare with
  Result<TwoLayerRig> result;

  /// Delta_W
  double error_of_weights() const {
    return rig ? weight_error(rig->weights, result.value) : weight_error(*matrix, result.value);
  }
  double weights_per_vertex() const {
    const std::size_t count = rig ? rig->weights.values.size() : matrix->values.size() - zeros();
    return double(count) / double(result.value.rig.vertices());
  }

 private:
  std::size_t zeros() const { return std::size_t(std::ranges::count(matrix->values, 0.F)); }
};

Compressed compress_matrix(const Compress& args, const CompressOptions& options, Stages& stages) {
  if (!args.original.empty()) {
    throw Error(ErrorCode::bad_request, "--original", "goes with a GLB only: an NPY has no bones");
  }
  if (args.bake) throw Error(ErrorCode::bad_request, "--bake", "goes with a GLB only: an NPY has no motion to bake");
  auto [weights, mesh] = read_matrix(args.input, stages.next());
  Result<TwoLayerRig> result = compress(weights, mesh, options, stages.next());
  return {{}, std::move(weights), {}, std::move(result)};
}

Compressed compress_rig(const Compress& args, const CLI::App& app, CompressOptions options, Stages& stages) {
  const bool own = args.original == "clips", given = !args.original.empty() && !own;
  if (!given) refuse(app, {"--rest"}, rest_of_original);
  const Run run = stages.next();
  Compressed done{read_skin(args.input, "one skinned GLB or one NPY", run), {}, {}, {}};
  done.original = read_original_of(*done.rig, given ? args.original : "", args.input, silent(run));
  if (own && done.original->frames() < 2) {
    throw Error(ErrorCode::bad_request, "--original clips", "the input has no clips; leave --original out");
  }
  if (given || own) warn_if_still(*done.original, args.input, run);
  if (const auto bound = parse_error_bound(args.error)) options.error = bound->as_e_rms(done.rig->mesh.positions);
  done.result = compress(*done.rig, options, args.original.empty() ? nullptr : &*done.original, stages.next());
  return done;
}

/// What files hold: their values are of two bytes, unless floats are asked for. That is also what is reported.
void write(const Compress& args, Result<TwoLayerRig>& result, const Run& run) {
  TwoLayerRig& rig = result.value;
  if (!args.glb.float_layers) rig = quantised(rig);
  for (auto& [name, value] : result.report.figures) {
    if (name == "bytes") value = double(storage(rig, args.glb.float_layers));
  }
  if (!args.bake) {
    write_glb(Model(rig), args.out, args.glb, run);
    return;
  }
  if (rig.virtual_bone_count() > usual_bones) {
    run.warn(
        fmt::format("{} virtual bones are written as joints, but many engines take {} at most; "
                    "give --virtual-bones {} or fewer",
                    rig.virtual_bone_count(), usual_bones, usual_bones));
  }
  write_glb(bake_virtual_bones(rig), args.out, {}, run);
}

Json compress_report(const Compress& args, const Compressed& done, const std::optional<Metrics>& metrics) {
  Json json = Json::parse(to_json(done.result.report));
  Json& reached = json["reached"] = {{"bones_per_vertex", done.result.value.bones_per_vertex()},
                                     {"virtual_bones", done.result.value.virtual_bone_count()},
                                     {"bytes", storage(done.result.value, args.glb.float_layers)},
                                     {"weight_error", done.error_of_weights()}};
  if (metrics) reached["metrics"] = Json::parse(to_json(*metrics));
  return json;
}

void write_compress_report(const Compress& args, const Compressed& done, const std::optional<Metrics>& metrics,
                           const Run& run) {
  std::optional<Model> model;
  const auto page = [&] {
    model = done.result.value;
    return Page{.title = args.input.name(),
                .original = metrics ? &*done.original : nullptr,
                .model = &*model,
                .metrics = metrics ? &*metrics : nullptr,
                .report = &done.result.report};
  };
  write_report(args.report, run, page, [&] { return compress_report(args, done, metrics); });
}

void print(const Compress& args, const Compressed& done, const std::optional<Metrics>& metrics) {
  const TwoLayerRig& rig = done.result.value;
  fmt::print("{} vertices, {} bones, {} virtual bones: {:.3f} bones per vertex, {}\n", with_thousands(rig.vertices()),
             rig.bones(), with_thousands(rig.virtual_bone_count()), rig.bones_per_vertex(),
             human_bytes(storage(rig, args.glb.float_layers)));
  fmt::print("{:.2f} weights per vertex before; error of weights, times 1000: {:.4f}\n", done.weights_per_vertex(),
             done.error_of_weights());
  for (const auto& [name, value] : done.result.report.figures) {
    if (name == "rest_moved") fmt::print("the rest pose moved by {:.3f} % of the size at most\n", 100 * value);
  }
  if (metrics) fmt::print("{}\n", error_summary(*metrics));
  print_written(args.out, args.report);
}

CompressOptions options_of(const Compress& args, const CLI::App& app) {
  CompressOptions options = args.options;
  if (options.refit != Refit::none && args.original.empty()) {
    throw Error(ErrorCode::bad_request, "--refit", "needs frames to follow; give --original, or leave it out");
  }
  if (args.original.empty()) {
    refuse(app, {"--error"},
           "is of positions and needs frames to compare with; give --weight-error, or --original too");
  } else {
    refuse(app, {"--weight-error"}, "is of weights, but with --original only positions count; give --error");
  }
  parse_error_bound(args.error);  // what is wrong with it is said before anything is read
  if (args.weight_error) options.error = *args.weight_error;
  if (args.bake && (options.any_sign || options.method == CompressMethod::paper)) {
    throw Error(ErrorCode::bad_request, "--bake",
                "plain skins have no negative weights; leave out --signed and --method paper");
  }
  return options;
}

int run(const Compress& args, const CLI::App& app) {
  const CompressOptions options = options_of(args, app);
  check_output(args.out, {".glb"}, "layers are written as GLB");
  check_folder(args.report);
  const Run run = args.common.run();
  Stages stages(run, usual_shares(args.options.effort));
  Compressed done =
      args.input.is_matrix() ? compress_matrix(args, options, stages) : compress_rig(args, app, options, stages);
  warn(done.result.report, run);
  write(args, done.result, stages.next());
  std::optional<Metrics> metrics;
  if (done.original && done.original->frames() > 0) metrics = compare(*done.original, done.result.value, stages.next());
  end_progress();
  write_compress_report(args, done, metrics, run);
  if (args.common.json) {
    fmt::print("{}\n", compress_report(args, done, metrics).dump(2));
  } else {
    print(args, done, metrics);
  }
  return check_status(done.result.report);
}

void add_budget(CLI::App& app, Compress& args) {
  app.add_option("--error", args.error,
                 fmt::format("Instead, with --original: as few values as this error needs. {}", error_grammar));
  app.add_option("--weight-error", args.weight_error,
                 "Instead, without --original: as few values as this error of weights needs (times 1000)")
      ->check(positive_number("the error of weights times 1000"));
  args.common.flags.add(app, args.options);
  args.common.flags.add(app, args.glb);
}

}  // namespace

Command make_compress(CLI::App& root) {
  const auto args = std::make_shared<Compress>();
  CLI::App* app =
      add_command(root, args->common, "compress", "Compress dense weights into two layers with few values per vertex",
                  "marrow compress dense.glb --bones-per-vertex 4 -o small.glb");
  add_weights_input(*app, args->common, args->input);
  app->add_option(
         "-o,--out", args->out,
         "GLB to write: the best plain skin with 4 influences, and the layers in its extension MARROW_skinning")
      ->required();
  add_budget(*app, *args);
  add_original(*app, args->original,
               "Frames to match: a sequence, or \"clips\", the rig's own (default: match weights, not frames)");
  app->add_flag("--bake", args->bake, "Write virtual bones as joints of a plain skin, with baked motion");
  add_report(*app, args->report);
  return {app, with_options(args->common.flags, [args, app] { return run(*args, *app); })};
}

}  // namespace marrow::cli
