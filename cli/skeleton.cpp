#include "marrow/skeleton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "common.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"
#include "report.hpp"

namespace marrow::cli {
namespace {

struct Extract {
  Common common;
  Input input;
  std::string out;
  std::string original;
  std::string error;
  std::string tree;
  std::string report;
  SkeletonOptions options;
};

/// Options that would do nothing are mistakes.
void check_request(const Extract& args, const CLI::App& app) {
  if (!args.tree.empty()) refuse(app, {"--bones"}, "does not go with --tree, which says which bones there are");
}

SkeletonOptions options_of(const Extract& args, const CLI::App& app, bool has_bones) {
  SkeletonOptions options = args.options;
  if (!args.tree.empty()) options.tree = read_tree(args.tree);
  if (has_bones) refuse(app, {"--max-bones"}, "the input has bones of its own, which are what \"auto\" starts with");
  if (has_bones && app.count("--bones") > 0 && options.bones != 0) {
    throw Error(
        ErrorCode::bad_request, "--bones",
        "the input has bones of its own; leave it out to keep them all, or give \"auto\" to keep those that are "
        "needed");
  }
  if (has_bones && options.method != SkeletonMethod::multi) {
    throw Error(ErrorCode::bad_request, "--method",
                "the input has bones of its own; other methods find theirs from frames");
  }
  return options;
}

int run(const Extract& args, const CLI::App& app) {
  check_request(args, app);
  check_output(args.out, {".glb"}, "a skeleton is written as GLB");
  check_folder(args.report);
  const std::optional<ErrorBound> bound = parse_error_bound(args.error);
  const Run run = args.common.run();
  Stages stages(run, usual_shares(args.options.effort));
  const Animated animated = read_input(args.input, stages.next());
  const Rig* rig = std::get_if<Rig>(&animated);
  const SkeletonOptions options = options_of(args, app, rig != nullptr);
  if (rig == nullptr && !args.original.empty()) {
    throw Error(ErrorCode::bad_request, "--original", "goes with a GLB that has bones; the input is frames itself");
  }
  const Sequence sequence =
      rig == nullptr ? std::get<Sequence>(animated) : read_original_of(*rig, args.original, args.input, silent(run));
  warn_if_still(sequence, args.input, run);
  const Run solving = stages.next();
  Result<Rig> result = rig != nullptr ? extract_skeleton(sequence, *rig, options, solving)
                                      : extract_skeleton(sequence, options, solving);
  warn(result.report, run);
  write_glb(result.value, args.out, {}, stages.next());
  const Metrics metrics = compare(sequence, result.value, stages.next());
  end_progress();
  write_report(args.report, args.input.name(), sequence, result, metrics, run);
  if (args.common.json) {
    fmt::print("{}\n", report_object(result, metrics).dump(2));
  } else {
    fmt::print("{}: {}\n", skeleton_summary(result.value), error_summary(metrics));
    print_written(args.out, args.report);
  }
  return check_bound(bound, metrics, args.error);
}

}  // namespace

std::string skeleton_summary(const Rig& rig) {
  std::vector<bool> is_end(rig.bones(), true);
  for (const std::uint32_t j : rig.weights.bones) is_end[j] = false;
  for (const std::int32_t parent : rig.skeleton.parents) {
    if (parent >= 0) is_end[std::size_t(parent)] = false;
  }
  const auto ends = std::ranges::count(is_end, true);
  return fmt::format("{} bones and {} ends, {} influences", std::ptrdiff_t(rig.bones()) - ends, ends,
                     rig.weights.max_influences());
}

Command make_skeleton(CLI::App& root) {
  const auto args = std::make_shared<Extract>();
  CLI::App* app = add_command(root, args->common, "skeleton",
                              "Find bones in a hierarchy with fixed joints, which an animator can pose",
                              "marrow skeleton horse.pc2 --bones 27 -o horse.glb");
  add_input(*app, args->common, args->input);
  app->add_option("-o,--out", args->out, "GLB to write")->required();
  add_original(*app, args->original, "Of a GLB with bones: the frames that it was made from (else its own motion)");
  args->common.flags.add(*app, args->options);
  app->add_option("--tree", args->tree, "JSON with names, parents and joints of the bones to fit");
  app->add_option("--error", args->error, fmt::format("Exit with 3 when the error is above this: {}", error_grammar));
  add_report(*app, args->report);
  return {app, with_options(args->common.flags, [args, app] { return run(*args, *app); })};
}

}  // namespace marrow::cli
