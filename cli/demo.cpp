#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <span>

#include "common.hpp"
#include "marrow/deform.hpp"
#include "marrow/render.hpp"
#include "marrow/synthetic.hpp"

namespace marrow::cli {
namespace {

struct Demo {
  Common common;
  std::string folder = "demo";
  std::size_t vertices = 6000;
};

/// Four moments of the first clip, drawn with one view.
Image walk_picture(const Rig& rig, const Sequence& sequence, std::span<const Rgb> colors) {
  const RenderOptions options{.width = 480, .height = 400};
  const Clip& clip = rig.motion.timeline.clips.front();
  const auto all = std::span(sequence.positions).subspan(clip.first * rig.vertices(), clip.count * rig.vertices());
  std::vector<Image> images;
  for (std::size_t k = 0; k < 4; ++k) {
    images.push_back(render(rig.mesh, sequence.frame(clip.first + k * clip.count / 4), colors, {}, options, all));
  }
  return tile(images, 4);
}

std::string page(const Rig& rig, const Metrics& metrics, const Bytes& bytes) {
  return fmt::format(
      R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Marrow demo</title>
<style>
  body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222; }}
  img {{ width: 100%; border: 1px solid #ddd; border-radius: 6px; }}
  table {{ border-collapse: collapse; }}
  td, th {{ padding: .2rem 1.2rem .2rem 0; text-align: left; }}
</style>
<h1>A walking quadruped, {bones} bones</h1>
<p>The animated mesh, as it would come from a simulation or a capture ({vertices} vertices, {frames} frames):</p>
<img src="frames.png" alt="four frames of the animated mesh">
<p>The same motion as bones and weights, each bone in its colour. <a href="quadruped.glb">quadruped.glb</a> plays in
any glTF viewer:</p>
<img src="bones.png" alt="four frames coloured by bone">
<table>
<tr><th>bones</th><td>{bones}</td></tr>
<tr><th>influences per vertex</th><td>at most {influences}</td></tr>
<tr><th>E_RMS of the rig read back from the file</th><td>{e_rms:.5f}</td></tr>
<tr><th>largest vertex error</th><td>{max:.6f} % of the size</td></tr>
<tr><th>storage</th><td>{rig_bytes} as a rig, {raw_bytes} as raw frames</td></tr>
</table>
</html>
)",
      fmt::arg("bones", rig.bones()), fmt::arg("vertices", with_thousands(rig.vertices())),
      fmt::arg("frames", rig.frames()), fmt::arg("influences", rig.weights.max_influences()),
      fmt::arg("e_rms", metrics.e_rms), fmt::arg("max", metrics.percent(metrics.error.max)),
      fmt::arg("rig_bytes", human_bytes(bytes.rig)), fmt::arg("raw_bytes", human_bytes(bytes.raw_frames)));
}

int run(const Demo& args) {
  const Run run = args.common.run();
  const std::filesystem::path folder = args.folder;
  std::filesystem::create_directories(folder);
  const synthetic::Options options{.vertices = args.vertices};
  const Rig rig = synthetic::quadruped(options);
  const Sequence sequence = synthetic::observe(rig, options, run);
  write_glb(rig, folder / "quadruped.glb", {}, run);
  write_obj(sequence.mesh, folder / "quadruped.obj");
  write_pc2(sequence, folder / "quadruped.pc2", run);
  // Judged as a user would: from the files.
  const Rig written = read_rig(folder / "quadruped.glb", {}, run);
  const Metrics metrics = compare(sequence, written, run);
  write_png(walk_picture(written, sequence, {}), folder / "frames.png");
  write_png(walk_picture(written, sequence, bone_colors(written.weights, written.bones())), folder / "bones.png");
  write_text(page(written, metrics, storage(written)), folder / "index.html");
  end_progress();
  const std::string index = std::filesystem::absolute(folder / "index.html").lexically_normal().string();
  if (args.common.json) {
    fmt::print("{}\n", to_json(metrics));
  } else {
    fmt::print("{} vertices, {} frames, {} bones: E_RMS {:.5f}\nOpen {} in a browser.\n",
               with_thousands(written.vertices()), written.frames(), written.bones(), metrics.e_rms, index);
  }
  return Exit::done;
}

}  // namespace

Command make_demo(CLI::App& root) {
  const auto args = std::make_shared<Demo>();
  CLI::App* app = add_command(root, args->common, "demo", "Make a walking animal, its rig and a page to look at",
                              "marrow demo -o demo");
  app->add_option("-o,--out", args->folder, "Folder to write to (default: demo)");
  app->add_option("--vertices", args->vertices, "About this many vertices")->check(CLI::Range(100, 2'000'000));
  return {app, [args] { return run(*args); }};
}

}  // namespace marrow::cli
