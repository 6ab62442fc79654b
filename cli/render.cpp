#include "marrow/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "common.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"

namespace marrow::cli {
namespace {

struct Render {
  Common common;
  Input input;
  std::string out;
  std::string original;
  std::string color;
  std::string bone;
  std::string size = "960x720";
  double top = 0;  // of the heat map, % of the size; 0: the largest error shown
  int columns = 0;
  std::vector<std::size_t> frames;
  bool bones = false;
  RenderOptions options;
};

RenderOptions render_options(const Render& args) {
  RenderOptions options = args.options;
  const char* end = args.size.data() + args.size.size();
  const auto [x, width_status] = std::from_chars(args.size.data(), end, options.width);
  const bool has_x = width_status == std::errc() && x != end && *x == 'x';
  const auto [last, height_status] = std::from_chars(has_x ? x + 1 : end, end, options.height);
  if (!has_x || height_status != std::errc() || last != end) {
    throw Error(ErrorCode::bad_request, "--size", fmt::format("\"{}\" is not a size like 960x720", args.size));
  }
  return options;
}

std::uint32_t find_bone(const Skeleton& skeleton, const std::string& wanted) {
  if (const auto named = std::ranges::find(skeleton.names, wanted); named != skeleton.names.end()) {
    return std::uint32_t(named - skeleton.names.begin());
  }
  std::uint32_t index = 0;
  const auto [end, status] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  if (status == std::errc() && end == wanted.data() + wanted.size() && index < skeleton.bones()) return index;
  throw Error(ErrorCode::bad_request, "--bone",
              fmt::format("there is no bone \"{}\"; give a name or a number below {}", wanted, skeleton.bones()));
}

const Rig& need_rig(const Rig* rig, const std::string& flag) {
  if (rig == nullptr) throw Error(ErrorCode::bad_request, flag, "the input has no bones to show");
  return *rig;
}

/// Each bone from its joint to its parent's; a dot at the joint where there is no parent.
std::vector<BoneMark> bone_marks(const Rig& rig, std::size_t t) {
  const auto joint = [&](std::size_t j) {
    const Affine world = rig.motion.frame(t)[j] * rig.skeleton.bind[j];
    return transform(world, Vec3{0, 0, 0});
  };
  std::vector<BoneMark> marks;
  for (std::size_t j = 0; j < rig.bones(); ++j) {
    const std::int32_t parent = rig.skeleton.parents[j];
    marks.push_back(parent < 0 ? BoneMark{joint(j), joint(j), bone_color(j)}
                               : BoneMark{joint(std::size_t(parent)), joint(j), bone_color(std::size_t(parent))});
  }
  return marks;
}

/// Everything that is needed to draw any frame.
class Scene {
 public:
  Scene(const Render& args, const Run& run) : args_(args), options_(render_options(args)) {
    Stages stages(run, {1, 1});
    const Run reading = stages.next();
    std::optional<Model> model = read_model(args.input, reading);
    animated_ = model ? Animated(plain_rig(*model)) : read_input(args.input, reading);
    rig_ = std::get_if<Rig>(&animated_);
    const Run baking = stages.next();
    sequence_ = model ? bake(*model, baking) : rig_ != nullptr ? bake(*rig_, baking) : std::get<Sequence>(animated_);
    if (!args.original.empty()) set_errors(read_original({args.original}, args.input, silent(run)));
    mode_ = !args.color.empty() ? args.color : !args.original.empty() ? "error" : "clay";
    if (mode_ == "error" && errors_.empty()) {
      throw Error(ErrorCode::bad_request, "--color error", "give the frames to compare with: --original FRAMES");
    }
  }

  std::size_t frames() const { return sequence_.frames(); }

  Image draw(std::size_t t) const {
    if (t >= frames()) {
      throw Error(ErrorCode::bad_request, "--frame",
                  fmt::format("there is no frame {}; the last one is {}", t, frames() - 1));
    }
    const std::vector<BoneMark> marks =
        args_.bones ? bone_marks(need_rig(rig_, "--bones"), t) : std::vector<BoneMark>();
    Image image = render(sequence_.mesh, sequence_.frame(t), colors(t), marks, options_, around_);
    if (mode_ == "error") draw_heat_legend(image, top_percent(), "% of size");
    return image;
  }

  /// The views of all frames shown are fitted to all of them together.
  void fit_to(const std::vector<std::size_t>& shown) {
    for (const std::size_t t : shown) {
      if (t < frames()) around_.insert(around_.end(), sequence_.frame(t).begin(), sequence_.frame(t).end());
    }
  }

 private:
  void set_errors(const Sequence& original) {
    check_same_shape(original, "--original", args_.original, sequence_.vertices(), sequence_.frames());
    size_ = size_of(original.mesh.positions);
    for (std::size_t t = 0; t < frames(); ++t) {
      errors_.push_back(vertex_errors(original.frame(t), sequence_.frame(t)));
      largest_ = std::max(largest_, std::ranges::max(errors_.back()));
    }
  }

  float top_percent() const {
    if (args_.top > 0) return float(args_.top);
    return size_ > 0 ? float(100 * largest_ / size_) : 0;
  }

  std::vector<Rgb> colors(std::size_t t) const {
    if (mode_ == "error") return heat_colors(errors_[t], float(top_percent() / 100 * size_));
    if (mode_ == "bones") {
      const Rig& rig = need_rig(rig_, "--color bones");
      return bone_colors(rig.weights, rig.bones());
    }
    if (mode_ == "weights") {
      const Rig& rig = need_rig(rig_, "--color weights");
      return weight_colors(rig.weights, find_bone(rig.skeleton, args_.bone.empty() ? "0" : args_.bone));
    }
    return {};
  }

  const Render& args_;
  RenderOptions options_;
  Animated animated_;
  const Rig* rig_ = nullptr;
  Sequence sequence_;
  std::string mode_;
  std::vector<std::vector<float>> errors_;
  float largest_ = 0;
  double size_ = 0;
  std::vector<Vec3> around_;
};

int run(const Render& args) {
  Scene scene(args, args.common.run());
  const std::vector<std::size_t> shown = args.frames.empty() ? std::vector<std::size_t>{0} : args.frames;
  scene.fit_to(shown);
  std::vector<Image> images;
  images.reserve(shown.size());
  for (const std::size_t t : shown) images.push_back(scene.draw(t));
  const int columns = args.columns > 0 ? args.columns : int(std::min<std::size_t>(images.size(), 4));
  write_png(images.size() == 1 ? images[0] : tile(images, columns), args.out);
  end_progress();
  if (args.common.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"written", args.out}, {"frames", shown}}.dump(2));
  } else if (!args.common.quiet) {
    fmt::print("wrote {}\n", args.out);
  }
  return Exit::done;
}

}  // namespace

Command make_render(CLI::App& root) {
  const auto args = std::make_shared<Render>();
  CLI::App* app = add_command(root, args->common, "render", "Draw frames of a sequence or rig into a PNG",
                              "marrow render rig.glb --frame 0,12 --color bones --bones -o picture.png");
  add_input(*app, args->common, args->input);
  app->add_option("-o,--out", args->out, "PNG to write")->required();
  add_count(*app, "--frame", args->frames, "Frames to draw side by side, counted from 0: 0,12,24 (default 0)")
      ->delimiter(',')
      ->allow_extra_args(false);
  app->add_option("--color", args->color, "clay, bones, weights or error (default: clay, or error with --original)")
      ->check(CLI::IsMember({"clay", "bones", "weights", "error"}));
  app->add_option("--bone", args->bone, "With --color weights: the bone, by name or number");
  add_original(*app, args->original, "Frames to compare with, for --color error");
  app->add_option("--top", args->top,
                  "With --color error: the error drawn red, % of the size (default: the largest one)");
  args->common.flags.add(*app, args->options);
  app->add_option("--size", args->size, "Size of each picture in pixels, WIDTHxHEIGHT (default 960x720)");
  app->add_option("--columns", args->columns, "Pictures per row (default: 4 at most)")->check(CLI::Range(1, 100));
  app->add_flag("--bones", args->bones, "Draw the bones");
  return {app, with_options(args->common.flags, [args] { return run(*args); })};
}

}  // namespace marrow::cli
