#include <fmt/format.h>

#include <memory>

#include "common.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"
#include "marrow/two_layer.hpp"
#include "marrow/view.hpp"

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
  std::string poses;
  std::string method = "ours";
  std::string effort = "normal";
  bool bake = false;
  bool floats = false;
  CompressOptions options;
};

/// What came in and what came out; a matrix of weights has no rig of its own and no poses.
struct Compressed {
  std::optional<Rig> rig;
  std::optional<Sequence> original;  ///< what to compare with
  Result<TwoLayerRig> result;
};

bool is_matrix(const Compress& args) {
  return std::filesystem::path(args.input.files.front()).extension() == ".npy";
}

Compressed compress_matrix(const Compress& args, const CompressOptions& options, const Run& run) {
  if (!args.poses.empty()) throw Error(ErrorCode::bad_request, "--poses", "goes with a GLB only: an NPY has no bones");
  if (args.bake) throw Error(ErrorCode::bad_request, "--bake", "goes with a GLB only: an NPY has no motion to bake");
  if (args.input.rest.empty()) throw Error(ErrorCode::bad_request, "--rest", "give the OBJ that the weights are for");
  return {{}, {}, compress(read_npy(args.input.files.front()), read_obj(args.input.rest), options, run)};
}

Compressed compress_rig(const Compress& args, const CompressOptions& options, const Run& run) {
  ReadOptions reading = args.input.options();
  reading.rest.clear();  // that of the poses
  Compressed done{read_rig(args.input.files.front(), reading, run), {}, {}};
  const bool own = args.poses == "clips";
  if (!args.poses.empty() && !own) done.original = read_sequence({args.poses}, args.input.options(), run);
  if (!done.original) done.original = bake(*done.rig, run);
  if (own && done.original->frames() < 2) {
    throw Error(ErrorCode::bad_request, "--poses clips", "the input has no clips; leave --poses out");
  }
  done.result = compress(*done.rig, options, args.poses.empty() ? nullptr : &*done.original, run);
  return done;
}

/// What files hold: their values are of two bytes.
void write(const Compress& args, TwoLayerRig& rig, const Run& run) {
  if (!args.floats) rig = quantised(rig);
  if (!args.bake) {
    write_glb(Model(rig), args.out, {.float_layers = args.floats}, run);
    return;
  }
  if (rig.virtual_bone_count() > usual_bones) {
    run.warn(
        fmt::format("{} virtual bones are written as joints, but many engines take {} at most; "
                    "give --virtual-bones {} or fewer",
                    rig.virtual_bone_count(), usual_bones, usual_bones));
  }
  write_glb(with_virtual_bones(rig), args.out, {}, run);
}

Json compress_report(const Compressed& done, const std::optional<Metrics>& metrics) {
  Json json = Json::parse(to_json(done.result.report));
  Json& reached = json["reached"] = {{"bones_per_vertex", done.result.value.bones_per_vertex()},
                                     {"virtual_bones", done.result.value.virtual_bone_count()},
                                     {"bytes", storage(done.result.value)}};
  if (done.rig) reached["weight_error"] = weight_error(done.rig->weights, done.result.value);
  if (metrics) reached["metrics"] = Json::parse(to_json(*metrics));
  return json;
}

void print(const Compress& args, const Compressed& done, const std::optional<Metrics>& metrics) {
  const TwoLayerRig& rig = done.result.value;
  fmt::print("{} vertices, {} bones, {} virtual bones: {:.3f} bones per vertex, {}\n",
             with_thousands(rig.rig.vertices()), rig.rig.bones(), with_thousands(rig.virtual_bone_count()),
             rig.bones_per_vertex(), human_bytes(storage(rig)));
  if (done.rig) {
    fmt::print("{:.2f} weights per vertex before; error of weights (x 1000) {:.4f}\n",
               static_cast<double>(done.rig->weights.values.size()) / static_cast<double>(done.rig->vertices()),
               weight_error(done.rig->weights, rig));
  }
  if (metrics) {
    fmt::print("E_RMS {:.4f}, RMS {:.4f} % of the size, max {:.3f} %\n", metrics->e_rms,
               metrics->percent(metrics->error.rms), metrics->percent(metrics->error.max));
  }
  fmt::print("wrote {}\n", args.out);
}

CompressOptions options_of(const Compress& args, const CLI::App& app) {
  CompressOptions options = args.options;
  options.method = compress_method_names().at(args.method);
  options.effort = effort_names().at(args.effort);
  const bool otherwise = app.count("--error") > 0 || app.count("--virtual-bones") > 0;
  if (otherwise && app.count("--bones-per-vertex") == 0) options.bones_per_vertex = 0;
  if (args.bake && (options.any_sign || options.method == CompressMethod::printed)) {
    throw Error(ErrorCode::bad_request, "--bake",
                "plain skins have no negative weights; leave out --signed and printed");
  }
  return options;
}

int run(const Compress& args, const CLI::App& app) {
  const CompressOptions options = options_of(args, app);
  const Run run = args.common.run();
  if (args.input.files.size() != 1) throw Error(ErrorCode::bad_request, "IN", "give one skinned GLB or one NPY");
  Compressed done = is_matrix(args) ? compress_matrix(args, options, run) : compress_rig(args, options, run);
  for (const std::string& warning : done.result.report.warnings) run.warn(warning);
  write(args, done.result.value, run);
  std::optional<Metrics> metrics;
  if (done.original && done.original->frames() > 0) metrics = compare(*done.original, done.result.value, run);
  end_progress();
  if (std::filesystem::path(args.report).extension() == ".html") {
    const Model model = done.result.value;
    Page page{.title = args.input.name(), .model = &model, .report = &done.result.report};
    if (metrics) {
      page.original = &*done.original;
      page.metrics = &*metrics;
    }
    write_page(page, args.report, {}, run);
  } else if (!args.report.empty()) {
    write_text(compress_report(done, metrics).dump(2) + "\n", args.report);
  }
  if (args.common.json) {
    fmt::print("{}\n", compress_report(done, metrics).dump(2));
  } else {
    print(args, done, metrics);
  }
  if (done.result.report.status == Status::quality_missed) {
    fmt::print(stderr, "the error asked for was not reached; this is the best that was found\n");
    return Exit::quality_missed;
  }
  return Exit::done;
}

void add_budget(CLI::App& app, Compress& args) {
  app.add_option("--bones-per-vertex", args.options.bones_per_vertex,
                 "Values of both layers per vertex, which is blending operations per vertex (default 4)");
  app.add_option("--virtual-bones", args.options.virtual_bones, "Instead: this many virtual bones, at most");
  app.add_option("--error", args.options.error,
                 "Instead: as few values as this error needs (of weights times 1000; with --poses, E_RMS)")
      ->check(CLI::PositiveNumber);
  app.add_option("--coefficients", args.options.coefficients,
                 "Virtual bones per vertex, at most, 2 to 4 (default 3; 4 from 6 bones per vertex on)");
  app.add_option("--cardinality", args.options.cardinality, "Bones per virtual bone, at most (default: any number)");
}

}  // namespace

Command make_compress(CLI::App& root) {
  const auto args = std::make_shared<Compress>();
  CLI::App* app = add_command(root, args->common, "compress", "Turn many weights per vertex into two thin layers",
                              "marrow compress dense.glb --bones-per-vertex 4 -o small.glb");
  app->add_option("IN", args->input.files, "Skinned GLB, or an NPY with a row of weights per vertex of --rest")
      ->required();
  add_read_flags(*app, args->input);
  app->add_option(
         "-o,--out", args->out,
         "GLB to write: the best plain skin with 4 influences, and the layers in its extension MARROW_skinning")
      ->required();
  add_budget(*app, *args);
  app->add_option(
      "--poses", args->poses,
      "What the mesh should do in the frames of the input's clips: a sequence, or \"clips\" for what it does "
      "now (default: only weights count)");
  app->add_option("--method", args->method, "ours, or printed: as the 2013 paper has it, for comparison (default ours)")
      ->check(CLI::IsMember(compress_method_names()));
  app->add_option("--effort", args->effort, "fast, normal or best (default normal)")
      ->check(CLI::IsMember(effort_names()));
  app->add_flag("--signed", args->options.any_sign, "Allow negative values, for research; no plain skin has them");
  app->add_flag("--float", args->floats, "Write values as floats instead of two bytes each");
  app->add_flag("--bake", args->bake, "Write virtual bones as joints of a plain skin, with baked motion");
  app->add_option("--report", args->report, "Report to write: a page to look at (page.html) or JSON (any other name)");
  return {app, [args, app] { return run(*args, *app); }};
}

}  // namespace marrow::cli
