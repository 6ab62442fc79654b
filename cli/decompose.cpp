#include "marrow/decompose.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "common.hpp"
#include "marrow/error.hpp"
#include "marrow/skeleton.hpp"
#include "report.hpp"

namespace marrow::cli {
namespace {

struct Decompose {
  Common common;
  Input input;
  std::string out;
  std::string bones;  ///< a number, "auto" or nothing
  std::string error;
  std::string report;
  std::string curve;
  std::vector<std::size_t> also;
  std::string weights_of, motion_of;
  std::size_t max_bones = 64;
  std::optional<double> holdout;
  bool skeleton = false;
  DecomposeOptions options;

  bool automatic() const { return bones == "auto"; }
  /// As few as the error needs; a report of such a run has the most among its settings.
  bool as_few() const {
    const bool by_file = common.flags.given("error");
    return !error.empty() && bones.empty() && (by_file || !common.flags.given("bones"));
  }
  std::size_t most_bones() const {
    return common.flags.given("error") && common.flags.given("bones") ? options.bones : max_bones;
  }
};

/// What a run gives: a rig, what was said about it, and the curve where one was solved.
struct Solved {
  Result<Rig> result;
  std::optional<BoneCurve> curve;
};

/// rig.glb and 12 -> rig-12.glb
std::filesystem::path numbered(const std::filesystem::path& out, std::size_t bones) {
  return out.parent_path() / fmt::format("{}-{}{}", out.stem().string(), bones, out.extension().string());
}

/// One run from --max-bones downwards; writes what --also asks for.
Solved solve_curve(const Decompose& args, DecomposeOptions options, const Sequence& sequence, const Run& run) {
  const bool automatic = args.automatic();
  const std::size_t wanted = automatic ? 1 : options.bones;
  options.bones = std::min(std::max(args.max_bones, wanted), sequence.vertices());
  Result<BoneCurve> curve = bone_curve(sequence, options, run);
  const auto point = [&](std::size_t bones) -> const Motion& {
    if (bones < 1 || bones > options.bones) {
      throw Error(ErrorCode::bad_request, "--also",
                  fmt::format("{} is not on the curve, which has 1 to {} bones", bones, options.bones));
    }
    return curve.value.motions[bones - 1];
  };
  for (const std::size_t bones : args.also) point(bones);
  const std::size_t chosen = automatic ? curve.value.bones[curve.value.knee()] : wanted;
  Solved solved{decompose_from(sequence, point(chosen), options, run), {}};
  for (const std::size_t bones : args.also) {
    write_glb(decompose_from(sequence, point(bones), options, run).value, numbered(args.out, bones), {}, run);
  }
  if (automatic && run.log) {
    run.log(LogLevel::info, fmt::format("{} bones: the knee of the curve; fewer lose much, more gain little", chosen));
  }
  solved.curve = std::move(curve.value);
  return solved;
}

/// Whether one run from --max-bones downwards is needed.
bool needs_curve(const Decompose& args) {
  return !args.curve.empty() || !args.also.empty() || args.automatic();
}

Solved solve(const Decompose& args, const std::optional<ErrorBound>& bound, const Sequence& sequence, const Run& run) {
  DecomposeOptions options = args.options;
  if (!args.bones.empty() && !args.automatic()) options.bones = parse_count(args.bones, "--bones");
  if (!args.weights_of.empty()) {
    return {fit_weights(sequence, read_rig(args.weights_of, {}, run), options, run), {}};
  }
  if (!args.motion_of.empty()) return {fit_motion(sequence, read_rig(args.motion_of, {}, run), options, run), {}};
  if (needs_curve(args)) return solve_curve(args, options, sequence, run);
  if (bound && args.as_few()) {
    options.bones = std::min(args.most_bones(), sequence.vertices());
    return {decompose_to_error(sequence, bound->as_e_rms(sequence.mesh.positions), options, run), {}};
  }
  if (args.holdout) {
    Result<HeldOut> held = hold_out(sequence, *args.holdout, options, run);
    return {{std::move(held.value.rig), std::move(held.report)}, {}};
  }
  return {decompose(sequence, options, run), {}};
}

/// A rig to keep exists early only where one rig is solved from beginning to end.
void check_keep_best(const Decompose& args) {
  const std::pair<const char*, bool> others[] = {
      {"--weights-for", !args.weights_of.empty()},
      {"--motion-for", !args.motion_of.empty()},
      {"--curve", !args.curve.empty()},
      {"--also", !args.also.empty()},
      {"--bones auto", args.automatic()},
      {"--error without --bones", args.as_few()},
      {"--holdout", args.holdout.has_value()},
      {"--skeleton", args.skeleton},
  };
  for (const auto& [other, given] : others) {
    if (!args.options.keep_best || !given) continue;
    throw Error(ErrorCode::bad_request, "--keep-best",
                fmt::format("with {} there is no rig to keep before the end; leave one of them out, or ask for one rig "
                            "with --bones N",
                            other));
  }
}

/// A skeleton is made of rigid bones, of one rig, and of all frames.
void check_skeleton(const Decompose& args, const CLI::App& app) {
  if (!args.skeleton) return;
  refuse(app, {"--holdout", "--also"}, "does not go with --skeleton, which is made of one rig and all frames");
  if (args.options.kind != BoneKind::rigid) throw Error(ErrorCode::bad_request, "--skeleton", "needs --kind rigid");
}

void check_outputs(const Decompose& args) {
  check_output(args.out, {".glb"}, "a rig is written as GLB");
  check_folder(args.report);
  check_folder(args.curve);
}

/// The solved bones in a hierarchy.
void add_skeleton(const Decompose& args, const Sequence& sequence, Result<Rig>& result, const Run& run) {
  Result<Rig> found = extract_skeleton(sequence, result.value,
                                       {.influences = std::max<std::size_t>(1, result.value.weights.max_influences()),
                                        .smooth = args.options.smooth,
                                        .effort = args.options.effort},
                                       run);
  result.value = std::move(found.value);
  result.report.settings.emplace_back("skeleton", true);
  result.report.timings.insert(result.report.timings.end(), found.report.timings.begin(), found.report.timings.end());
  result.report.error_curve = std::move(found.report.error_curve);
  Report& report = result.report;
  report.warnings.insert(report.warnings.end(), found.report.warnings.begin(), found.report.warnings.end());
  if (report.status == Status::done) report.status = found.report.status;
}

/// With the bones in a hierarchy where that is asked for.
Solved solve_all(const Decompose& args, const std::optional<ErrorBound>& bound, const Sequence& sequence,
                 const Run& run) {
  Stages stages(run, {1, args.skeleton ? 1.0 : 0});
  Solved solved = solve(args, bound, sequence, stages.next());
  if (args.skeleton) add_skeleton(args, sequence, solved.result, stages.next());
  stages.done();
  return solved;
}

int run(const Decompose& args, const CLI::App& app) {
  check_keep_best(args);
  check_skeleton(args, app);
  if (!needs_curve(args) && !args.as_few()) {
    refuse(app, {"--max-bones"}, "goes with --curve, --also, --bones auto and --error without --bones only");
  }
  check_outputs(args);
  const std::optional<ErrorBound> bound = parse_error_bound(args.error);
  const Run run = args.common.run();
  Stages stages(run, usual_shares(args.options.effort));
  const Sequence sequence = read_frames(args.input, stages.next());
  Solved solved = solve_all(args, bound, sequence, stages.next());
  // With --keep-best the stop has done its work; what was found is still to be written.
  const auto next = [&] {
    Run rest = stages.next();
    if (args.options.keep_best) rest.stop = {};
    return rest;
  };
  const Rig& rig = solved.result.value;
  warn(solved.result.report, run);
  if (solved.result.report.status == Status::stopped) run.warn("stopped early; this is the best found so far");
  write_glb(rig, args.out, {}, next());
  const Run rest = next();
  const Metrics metrics = compare(sequence, rig, rest);
  end_progress();
  const BoneCurve* curve = solved.curve ? &*solved.curve : nullptr;
  write_report(args.report, args.input.name(), sequence, solved.result, metrics, rest, curve);
  if (!args.curve.empty()) write_text(curve_object(*curve).dump(2) + "\n", args.curve);
  if (args.common.json) {
    fmt::print("{}\n", report_object(solved.result, metrics, curve).dump(2));
  } else {
    const std::string what = args.skeleton
                                 ? skeleton_summary(rig)
                                 : fmt::format("{} bones, {} influences", rig.bones(), rig.weights.max_influences());
    fmt::print("{}: {}\n", what, error_summary(metrics));
    for (const auto& [name, value] : solved.result.report.figures) fmt::print("{}: {:.4g}\n", name, value);
    print_written(args.out, args.report);
  }
  return check_bound(bound, metrics, args.error);
}

void add_modes(CLI::App& app, Decompose& args) {
  app.add_option(
      "--error", args.error,
      fmt::format("Without --bones: find the fewest bones that reach this error. With --bones: exit with code "
                  "3 if it is missed. {}",
                  error_grammar));
  add_count(app, "--max-bones", args.max_bones,
            "Largest number of bones for --error, --curve and --bones auto (default 64)");
  app.add_option("--curve", args.curve, "Write the error of 1 to --max-bones bones to this JSON file");
  add_count(app, "--also", args.also, "Also write rigs with these numbers of bones, as OUT-N.glb: 8,16,24")
      ->delimiter(',');
  app.add_option("--holdout", args.holdout,
                 "Solve on this share of the frames (0.5: the first half), fit only motion to the others, and report "
                 "both errors");
  app.add_option("--weights-for", args.weights_of, "Solve weights only; bones and motion are those of this GLB");
  app.add_option("--motion-for", args.motion_of, "Solve motion only; mesh, weights and bones are those of this GLB");
}

/// What reports have among their settings beside those of the library. Flags win over the file.
void add_own_options(CLI::App& app, Decompose& args) {
  const auto set = [&app](const char* flag, auto& member, auto convert) {
    return [&app, flag, &member, convert](const std::optional<Setting>& value) {
      if (app.count(flag) == 0) member = convert(*value);
    };
  };
  const auto number = [](const Setting& value) { return std::get<double>(value); };
  const auto none = [] { return std::optional<Setting>(); };
  OptionFlags& flags = args.common.flags;
  flags.add_own({{.name = "error", .kind = OptionKind::number, .least = 0, .above_least = true},
                 none,
                 set("--error", args.error, [](const Setting& e) { return fmt::format("{}", std::get<double>(e)); })});
  flags.add_own({{.name = "holdout", .kind = OptionKind::number, .least = 0, .most = 1},
                 none,
                 set("--holdout", args.holdout, number)});
  flags.add_own({{.name = "skeleton", .kind = OptionKind::flag},
                 none,
                 set("--skeleton", args.skeleton, [](const Setting& on) { return std::get<bool>(on); })});
}

}  // namespace

Command make_decompose(CLI::App& root) {
  const auto args = std::make_shared<Decompose>();
  CLI::App* app = add_command(root, args->common, "decompose", "Turn a mesh sequence into bones and weights",
                              "marrow decompose horse.pc2 --bones 20 -o horse.glb");
  add_input(*app, args->common, args->input);
  app->add_option("-o,--out", args->out, "GLB to write")->required();
  app->add_option("--bones", args->bones, "Number of bones, or \"auto\": the knee of the curve (default 20)");
  args->common.flags.add(*app, args->options, {"bones"});
  add_modes(*app, *args);
  app->add_flag("--skeleton", args->skeleton,
                "Put the bones in a hierarchy with fixed joints, as marrow skeleton does");
  add_report(*app, args->report);
  add_own_options(*app, *args);
  return {app, with_options(args->common.flags, [args, app] { return run(*args, *app); })};
}

}  // namespace marrow::cli
