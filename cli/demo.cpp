#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "common.hpp"
#include "marrow/decompose.hpp"
#include "marrow/error.hpp"
#include "marrow/synthetic.hpp"
#include "marrow/view.hpp"
#include "report.hpp"

namespace marrow::cli {
namespace {

struct Demo {
  Common common;
  std::string folder = "demo";
  std::string report;
  synthetic::Options options{.vertices = 6000};
  std::size_t bones = 20;
};

int run(const Demo& args) {
  const Run run = args.common.run();
  const std::filesystem::path folder = args.folder;
  const std::filesystem::path page = args.report.empty() ? folder / "index.html" : std::filesystem::path(args.report);
  if (!has_page_template()) {
    throw Error(ErrorCode::bad_request, page.string(), "this build has no page to fill: scripts/demo builds it");
  }
  check_folder(args.report);
  std::filesystem::create_directories(folder);
  Stages stages(run, {5, 80, 15});
  const Sequence sequence = synthetic::observe(synthetic::quadruped(args.options), args.options, stages.next());
  write_obj(sequence.mesh, folder / "quadruped.obj");
  write_pc2(sequence, folder / "quadruped.pc2", silent(run));
  Result<Rig> result = decompose(sequence, {.bones = args.bones}, stages.next());
  write_glb(result.value, folder / "quadruped.glb", {}, silent(run));
  // Judged as a user would: from the file.
  result.value = read_rig(folder / "quadruped.glb", {}, silent(run));
  const Metrics metrics = compare(sequence, result.value, stages.next());
  write_report(page, "A walking quadruped", sequence, result, metrics, run);
  end_progress();
  if (args.common.json) {
    fmt::print("{}\n", to_json(metrics));
  } else {
    fmt::print("{} vertices, {} frames as {} bones: {}\n", with_thousands(result.value.vertices()),
               result.value.frames(), result.value.bones(), error_summary(metrics));
    fmt::print("open {} in a browser\n", std::filesystem::absolute(page).lexically_normal().string());
  }
  return Exit::done;
}

}  // namespace

Command make_demo(CLI::App& root) {
  const auto args = std::make_shared<Demo>();
  CLI::App* app = add_command(root, args->common, "demo", "Turn a walking animal into bones, with a page to look at",
                              "marrow demo -o demo");
  app->add_option("-o,--out", args->folder, "Folder to write to (default: demo)");
  app->add_option("--report", args->report, "Page to write, .html, or .json for figures (default: FOLDER/index.html)");
  app->add_option("--bones", args->bones, "Number of bones (default 20)")->check(CLI::Range(1, 1000));
  args->common.flags.add(*app, args->options);
  return {app, with_options(args->common.flags, [args] { return run(*args); })};
}

}  // namespace marrow::cli
