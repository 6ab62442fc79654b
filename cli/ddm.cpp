#include "marrow/ddm.hpp"

#include <fmt/format.h>

#include <memory>

#include "common.hpp"
#include "marrow/ddm_compression.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"
#include "marrow/motion_range.hpp"
#include "marrow/view.hpp"
#include "report.hpp"

namespace marrow::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Ddm {
  Common common;
  Input input;
  std::string out;
  std::string report;
  std::string variant = "full";
  std::size_t sample = 0;
  Sampling sampling;
  bool vertex_colors = false;
  bool delta_mush = false;
  DdmOptions options;
  std::string error;
  bool bake = false;
  DdmCompressionOptions compression;

  bool compresses() const {
    const OptionFlags& given = common.flags;
    return !error.empty() || given.given("virtual_bones") || given.given("error_target") || given.given("byte_budget");
  }
};

/// Where the number of virtual bones is searched for, it ends here.
constexpr std::size_t most_virtual_bones = 2000;

/// Options that would do nothing are mistakes.
void check_request(const Ddm& args, const CLI::App& app) {
  refuse(app, {"--rest"}, "a GLB has its own rest pose; leave it out");
  if (args.sample == 0 && !args.compresses()) {
    refuse(app, {"--ranges", "--seed"}, "goes with --sample N or --compress N only");
  }
  if (args.compresses()) {
    refuse(app, {"--variant"}, "a model that is compressed is the full one; leave it out");
  } else {
    refuse(app,
           {"--influences", "--method", "--fit-poses", "--iterations", "--sparsity", "--worst", "--area-weights",
            "--smoothness", "--bake"},
           "goes with --compress N, --error E or --bytes N only");
  }
}

/// A bare number was % once.
std::optional<ErrorBound> error_of(const Ddm& args) {
  const std::optional<ErrorBound> bound = parse_error_bound(args.error);
  if (!bound || bound->unit != ErrorBound::Unit::e_rms) return bound;
  throw Error(ErrorCode::bad_request, "--error",
              fmt::format("{0} would be E_RMS here, but was % of the size until now; write {0}%", args.error));
}

DdmMaps read_maps(const std::string& file) {
  const std::vector<std::array<float, 3>> colors = read_vertex_colors(file);
  if (colors.empty()) {
    throw Error(ErrorCode::bad_request, "--vertex-colors", fmt::format("{} has no vertex colours (COLOR_0)", file));
  }
  DdmMaps maps;
  for (const auto& [red, green, blue] : colors) {
    maps.rotation.push_back(red);
    maps.translation.push_back(green);
    maps.blending.push_back(blue);
  }
  return maps;
}

RangesOfMotion ranges_for(const Ddm& args, const Rig& rig) {
  return find_ranges(args.sampling, rig).value_or(default_ranges(rig.skeleton));
}

/// How far both skins are from Delta Mush.
struct MushDistances {
  double ddm = 0;
  double lbs = 0;
};

/// What is written: the model, what it was compressed to, or a plain rig.
struct Made {
  Result<DdmRig> full;
  std::optional<Result<CompressedDdm>> compressed;
  std::optional<Rig> plain;  ///< dense weights, or baked virtual bones

  const Report& report() const { return compressed ? compressed->report : full.report; }
  Sequence play(const Run& run) const {
    return plain ? bake(*plain, run) : compressed ? bake(compressed->value, run) : bake(full.value, run);
  }
};

Made make(const Ddm& args, const DdmOptions& options, const Rig& rig, const Run& run) {
  constexpr double compressing = 25, each_bone = 0.05;  // their time, in a unit of its own
  Stages stages(run, {each_bone * double(rig.bones()), args.compresses() ? compressing : 0});
  Made made{make_ddm(rig, options, stages.next()), {}, {}};
  if (args.variant != "full") made.plain = dense_lbs(made.full.value);
  if (!args.compresses()) return made;
  DdmCompressionOptions compression = args.compression;
  if (!args.common.flags.given("virtual_bones")) {
    compression.virtual_bones = std::min(most_virtual_bones, rig.vertices());
  }
  if (const auto bound = error_of(args)) compression.error_target = bound->as_share(rig.mesh.positions);
  Run seeded = stages.next();
  seeded.seed = args.sampling.seed;
  made.compressed = compress(made.full.value, compression, ranges_for(args, rig), seeded);
  if (args.bake) made.plain = bake_virtual_bones(made.compressed->value, silent(run));
  return made;
}

void write(const Ddm& args, const Made& made, const Run& run) {
  if (made.plain) {
    write_glb(*made.plain, args.out, {}, run);
  } else {
    write_glb(made.compressed ? Model(made.compressed->value) : Model(made.full.value), args.out, {}, run);
  }
}

/// Everything that is said about a result.
struct Judged {
  Metrics moved;                ///< what the model changes: the plain skin against it
  std::optional<Metrics> lost;  ///< by compression: the full model against it
  std::optional<MushDistances> mush;
};

Judged judge(const Ddm& args, const DdmOptions& options, const Made& made, const Run& run) {
  Stages stages(run, {1, 2, 1, made.compressed ? 2.0 : 0, made.compressed ? 1.0 : 0, args.delta_mush ? 20.0 : 0});
  const Sequence plain = bake(made.full.value.rig, stages.next()), result = made.play(stages.next());
  Judged judged{compare(plain, result, stages.next()), {}, {}};
  const Run baking = stages.next(), comparing = stages.next();
  if (made.compressed) judged.lost = compare(bake(made.full.value, baking), result, comparing);
  if (args.delta_mush) {
    const Sequence mush = DeltaMush(made.full.value.rig, options, silent(run)).bake(stages.next());
    judged.mush = {compare(mush, result, silent(run)).error.rms, compare(mush, plain, silent(run)).error.rms};
  }
  return judged;
}

Json model_report(const Made& made, const Judged& judged) {
  const DdmRig& ddm = made.full.value;
  Json json = Json::parse(to_json(made.report()));
  if (made.compressed) {
    // What the full model was made with comes first.
    Json settings = Json::parse(to_json(made.full.report))["settings"];
    settings.update(json["settings"]);
    json["settings"] = std::move(settings);
  }
  Json& reached = json["reached"] = {{"bones", ddm.bones()}, {"vertices", ddm.vertices()}};
  if (made.compressed) {
    reached["virtual_bones"] = made.compressed->value.virtual_bone_count();
    reached["bytes"] = storage(made.compressed->value);
    reached["bytes_of_full_model"] = storage(ddm);
    reached["difference_to_full_model"] = Json::parse(to_json(*judged.lost));
  } else if (made.plain) {
    reached["weights"] = made.plain->weights.values.size();
  } else {
    reached["multi_weights"] = ddm.multi_weights.values.size();
    reached["bytes"] = storage(ddm);
  }
  reached["difference_to_plain_skin"] = Json::parse(to_json(judged.moved));
  if (judged.mush) {
    reached["rms_distance_to_delta_mush"] = {{"this", judged.mush->ddm}, {"plain_skin", judged.mush->lbs}};
  }
  return json;
}

void print_compressed(const Made& made, const Judged& judged) {
  const CompressedDdm& model = made.compressed->value;
  const std::size_t before = storage(made.full.value), after = storage(model);
  fmt::print("{} virtual bones, {:.2f} per vertex: {} instead of {} ({:.1f} times less)\n", model.virtual_bone_count(),
             double(model.weights.values.size()) / double(model.vertices()), human_bytes(after), human_bytes(before),
             double(before) / double(after));
  const Metrics& lost = *judged.lost;
  fmt::print("against the full model: {}\n", error_summary(lost));
}

void print(const Ddm& args, const Made& made, const Judged& judged) {
  const DdmRig& ddm = made.full.value;
  const bool dense = made.plain && !made.compressed;
  fmt::print("{} vertices, {} bones: {:.2f} {} per vertex{}\n", with_thousands(ddm.vertices()), ddm.bones(),
             double(ddm.multi_weights.values.size()) / double(ddm.vertices()), dense ? "weights" : "multi-weights",
             dense ? "" : ", " + human_bytes(storage(ddm)));
  const Metrics& moved = judged.moved;
  fmt::print("against the plain skin: {}\n", error_summary(moved));
  if (made.compressed) print_compressed(made, judged);
  if (judged.mush) {
    fmt::print("RMS distance to Delta Mush: {:.4f} % of the size; of the plain skin: {:.4f} %\n",
               moved.percent(judged.mush->ddm), moved.percent(judged.mush->lbs));
  }
  print_written(args.out, args.report);
}

void write_ddm_report(const Ddm& args, const Made& made, const Judged& judged, const Run& run) {
  std::optional<Model> model;
  const auto page = [&] {
    if (!made.plain) model = made.compressed ? Model(made.compressed->value) : Model(made.full.value);
    return Page{.title = args.input.name(),
                .rig = made.plain ? &*made.plain : nullptr,
                .model = made.plain ? nullptr : &*model,
                .metrics = &judged.moved,
                .report = &made.report()};
  };
  write_report(args.report, run, page, [&] { return model_report(made, judged); });
}

int run(const Ddm& args, const CLI::App& app) {
  check_request(args, app);
  check_output(args.out, {".glb"}, "a model is written as GLB");
  check_folder(args.report);
  const Run run = args.common.run();
  error_of(args);  // what is wrong with it is said before anything is read
  const std::string& file = args.input.only_file("one skinned GLB");
  Stages stages(run, args.compresses() ? usual_shares() : std::vector<double>{5, 50, 5, 40});
  Rig rig = read_skin(args.input, "one skinned GLB", stages.next());
  DdmOptions options = args.options;
  if (args.vertex_colors) options.maps = read_maps(file);
  if (args.sample > 0) rig.motion = sample_poses(rig.skeleton, ranges_for(args, rig), args.sample, args.sampling.seed);
  Made made = make(args, options, rig, stages.next());
  warn(made.full.report, run);
  if (made.compressed) warn(made.compressed->report, run);
  write(args, made, stages.next());
  const Judged judged = judge(args, options, made, stages.next());
  end_progress();
  write_ddm_report(args, made, judged, run);
  if (args.common.json) {
    fmt::print("{}\n", model_report(made, judged).dump(2));
  } else {
    print(args, made, judged);
  }
  return check_status(made.report());
}

void add_compression(CLI::App& app, Ddm& args) {
  app.add_option(
      "--error", args.error,
      "Compress: as few virtual bones as this error needs: 0.2% (RMS, of the size) or 3u (RMS, model units)");
  args.common.flags.add(app, args.compression);
  app.add_flag("--bake", args.bake,
               "Compress: write virtual bones as joints of a plain skin, with baked motion, for any engine");
}

void add_smoothing(CLI::App& app, Ddm& args) {
  args.common.flags.add(app, args.options);
  app.add_flag("--vertex-colors", args.vertex_colors,
               "Vertex colours scale rotation smoothing (red), translation smoothing (green) and alpha (blue)");
}

}  // namespace

Command make_ddm(CLI::App& root) {
  const auto args = std::make_shared<Ddm>();
  CLI::App* app = add_command(root, args->common, "ddm", "Give a skinned character Direct Delta Mush skinning",
                              "marrow ddm character.glb -o better.glb --report better.html");
  add_input(*app, args->common, args->input);
  app->add_option("-o,--out", args->out, "GLB to write: the same skin, and the model in its extension MARROW_skinning")
      ->required();
  add_smoothing(*app, *args);
  app->add_option(
         "--variant", args->variant,
         "full, or dense-lbs: a plain skin with the smoothed weights, often more than 4 per vertex (default full)")
      ->check(CLI::IsMember({"full", "dense-lbs"}));
  add_count(*app, "--sample", args->sample, "Play this many random poses instead of the input's clips");
  add_compression(*app, *args);
  add_sampling(*app, args->sampling, "With --sample or --compress");
  app->add_flag("--delta-mush", args->delta_mush, "Also measure the distance to Delta Mush (slow)");
  add_report(*app, args->report);
  return {app, with_options(args->common.flags, [args, app] { return run(*args, *app); })};
}

}  // namespace marrow::cli
