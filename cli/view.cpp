#include "marrow/view.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "common.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"

namespace marrow::cli {
namespace {

struct View {
  Common common;
  Input input;
  std::vector<std::string> original;
  std::string out;
  std::string title;
  PageOptions options;
};

/// What is shown; the page points into it.
struct Shown {
  Animated animated;
  std::optional<Model> model;  // in place of the rig, where the file has one
  std::optional<Sequence> original;
  std::optional<Metrics> metrics;
};

Shown read_shown(const View& args, const Run& run) {
  Shown shown{{}, read_model(args.input, run), std::nullopt, std::nullopt};
  shown.animated = shown.model ? Animated(plain_rig(*shown.model)) : read_input(args.input, run);
  if (shown.model && args.original.empty()) {
    shown.metrics = compare(bake(plain_rig(*shown.model), run), *shown.model, run);
  }
  if (args.original.empty()) return shown;
  const Rig* rig = std::get_if<Rig>(&shown.animated);
  if (rig == nullptr) {
    throw Error(ErrorCode::bad_request, args.input.files.front(),
                "has no bones, so there is nothing to hold against an original; give a GLB with a skin");
  }
  shown.original = read_original(args.original, args.input, run);
  check_same_shape(*shown.original, "--original", args.original.front(), rig->vertices(), rig->frames());
  shown.metrics = shown.model ? compare(*shown.original, *shown.model, run) : compare(*shown.original, *rig, run);
  return shown;
}

int run(const View& args) {
  const Run run = args.common.run();
  const std::string name = args.input.name();
  const std::filesystem::path out = args.out.empty() ? name + ".html" : args.out;
  const Shown shown = read_shown(args, run);
  Page page{.title = args.title.empty() ? name : args.title};
  page.model = shown.model ? &*shown.model : nullptr;
  page.rig = shown.model ? nullptr : std::get_if<Rig>(&shown.animated);
  page.original = page.shown_rig() == nullptr ? &std::get<Sequence>(shown.animated) : nullptr;
  if (shown.original) page.original = &*shown.original;
  if (shown.metrics) page.metrics = &*shown.metrics;
  const PageSummary summary = write_page(page, out, args.options, run);
  end_progress();
  const std::string place = std::filesystem::absolute(out).lexically_normal().string();
  if (args.common.json) {
    const nlohmann::ordered_json json = {{"written", out.string()},
                                         {"bytes", summary.bytes},
                                         {"frames", summary.frames},
                                         {"frames_of", summary.frames_of},
                                         {"position_error", summary.position_error}};
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{}, {} of {} frames\nopen {} in a browser\n", human_bytes(summary.bytes), summary.frames,
               summary.frames_of, place);
  }
  return Exit::done;
}

}  // namespace

Command make_view(CLI::App& root) {
  const auto args = std::make_shared<View>();
  CLI::App* app = add_command(root, args->common, "view", "Write a page that shows a rig beside its original",
                              "marrow view horse.glb --original horse.pc2 -o horse.html");
  add_input(*app, args->common, args->input);
  app->add_option("--original", args->original, "Frames to compare with: those that the rig was made from")
      ->allow_extra_args(true);
  app->add_option("-o,--out", args->out, "Page to write (default: NAME.html in this folder)");
  app->add_option("--title", args->title, "Heading of the page (default: the file's name)");
  args->common.flags.add(*app, args->options);
  return {app, with_options(args->common.flags, [args] { return run(*args); })};
}

}  // namespace marrow::cli
