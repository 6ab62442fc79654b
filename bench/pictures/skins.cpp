// Draws the pictures of the README and of the guides synthetic, reduce, two_layer and ddm_compression:
// marrow_skin_pictures FOLDER
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "marrow/marrow.hpp"

namespace {

using namespace marrow;

/// Marks of all bones in a frame.
std::vector<BoneMark> bone_marks(const Rig& rig, std::size_t t) {
  const auto joint = [&](std::size_t j) {
    return transform(rig.motion.frame(t)[j] * rig.skeleton.bind[j], Vec3{0, 0, 0});
  };
  std::vector<BoneMark> marks;
  for (std::size_t j = 0; j < rig.bones(); ++j) {
    if (rig.skeleton.parents[j] < 0) continue;
    const auto parent = std::size_t(rig.skeleton.parents[j]);
    marks.push_back({joint(parent), joint(j), bone_color(parent)});
  }
  return marks;
}

void label(Image& image, const std::string& text) {
  fmt::print("  {}\n", text);
  draw_label(image, 8, 8, text);
}

/// Frames of a mesh above the skeleton extracted from them.
void draw_front_page(const std::filesystem::path& file) {
  const Sequence walk = bake(synthetic::quadruped({.vertices = 6000}));
  const Rig rig = extract_skeleton(walk, {.bones = 20}).value;
  const Sequence played = bake(rig);
  const std::vector<Rgb> colors = bone_colors(rig.weights, rig.bones());
  const RenderOptions options{.width = 400, .height = 320, .view = View::left, .ground = true};
  const std::vector<std::size_t> frames = {0, 8, 16, 24};
  std::vector<Vec3> around;
  for (const std::size_t t : frames) around.insert(around.end(), walk.frame(t).begin(), walk.frame(t).end());
  std::vector<Image> images;
  for (const std::size_t t : frames) images.push_back(render(walk.mesh, walk.frame(t), {}, {}, options, around));
  label(images.front(), "in: frames of a mesh");
  for (const std::size_t t : frames) {
    images.push_back(render(walk.mesh, played.frame(t), colors, bone_marks(rig, t), options, around));
  }
  label(images[frames.size()], "out: bones and weights");
  write_png(tile(images, int(frames.size())), file);
}

/// One frame of every generated animation.
void draw_synthetic(const std::filesystem::path& file) {
  const synthetic::Options options{.vertices = 5000, .frames = 40};
  const std::vector<std::pair<std::string, Sequence>> all = {{"bar", bake(synthetic::bar(options))},
                                                             {"arm", bake(synthetic::arm(options))},
                                                             {"quadruped", bake(synthetic::quadruped(options))},
                                                             {"poses", bake(synthetic::poses(options))},
                                                             {"shells", bake(synthetic::shells(options))},
                                                             {"cape", synthetic::cape(options)},
                                                             {"jelly", synthetic::jelly(options)}};
  std::vector<Image> images;
  for (const auto& [name, sequence] : all) {
    images.push_back(render(sequence.mesh, sequence.frame(10), {}, {}, {.width = 300, .height = 260}));
    label(images.back(), name);
  }
  write_png(tile(images, 4), file);
}

/// One pose in several skins, coloured by the distance to the original.
class Row {
 public:
  Row(const Sequence& original, std::size_t frame, float top_percent, View view)
      : original_(original), frame_(frame), top_percent_(top_percent), view_(view) {}

  void add_original(const std::string& name) { images_.push_back(draw(original_, {}, name)); }
  void add(const Sequence& played, const std::string& name) {
    const std::vector<float> errors = vertex_errors(original_.frame(frame_), played.frame(frame_));
    const double top = top_percent_ / 100 * size_of(original_.mesh.positions);
    const double e_rms = compare(original_, played).e_rms;
    images_.push_back(draw(played, heat_colors(errors, float(top)), fmt::format("{}: E {:.2f}", name, e_rms)));
    draw_heat_legend(images_.back(), top_percent_, "% of size");
  }
  void write(const std::filesystem::path& file) const {
    write_png(tile(images_, int(images_.size())), file);
    fmt::print("wrote {}\n", file.string());
  }

 private:
  /// Points to fit the view to, with room for text above and legend below.
  std::vector<Vec3> around() const {
    std::vector<Vec3> points(original_.frame(frame_).begin(), original_.frame(frame_).end());
    const Ball ball = smallest_enclosing_ball(points);
    for (const double up : {-1.07, 1.07}) {
      points.push_back({float(ball.x), float(ball.y + up * ball.radius), float(ball.z)});
    }
    return points;
  }
  Image draw(const Sequence& played, const std::vector<Rgb>& colors, const std::string& text) const {
    Image image =
        render(played.mesh, played.frame(frame_), colors, {}, {.width = 420, .height = 400, .view = view_}, around());
    label(image, text);
    return image;
  }

  const Sequence& original_;
  std::size_t frame_;
  float top_percent_;
  View view_;
  std::vector<Image> images_;
};

void draw_reduce(const std::filesystem::path& file) {
  const Sequence jelly = synthetic::jelly({.vertices = 6000});
  const Rig dense = decompose(jelly, {.bones = 20, .influences = 20}).value;
  Row row(jelly, 20, 4, View::quarter);
  row.add(bake(dense), "all weights");
  row.add(bake(reduce(dense, {.influences = 4, .method = ReduceMethod::klargest}).value), "4 largest");
  row.add(bake(reduce(dense, {.influences = 4}, &jelly).value), "best 4");
  row.write(file);
}

void draw_two_layer(const std::filesystem::path& file) {
  const Sequence cape = synthetic::cape({.vertices = 4000});
  const Rig dense = decompose(cape, {.bones = 20, .influences = 20, .kind = BoneKind::flexible}).value;
  Row row(cape, 40, 2, View::back);
  row.add(bake(dense), "all weights");
  row.add(bake(reduce(dense, {.influences = 4, .method = ReduceMethod::klargest}).value), "4 largest");
  row.add(bake(reduce(dense, {.influences = 4}, &cape).value), "best 4");
  row.add(bake(compress(dense, {.bones_per_vertex = 4}, &cape).value), "two layers, 4");
  row.write(file);
}

void draw_ddm_compression(const std::filesystem::path& file) {
  Rig rig = synthetic::quadruped({.vertices = 6000});
  const RangesOfMotion ranges = default_ranges(rig.skeleton);
  rig.motion = sample_poses(rig.skeleton, ranges, 20, 3);
  const DdmRig ddm = make_ddm(rig).value;
  const Sequence original = bake(ddm);
  Row row(original, 5, 1, View::quarter);
  row.add_original("DDM");
  for (const std::size_t count : {20, 50, 200}) {
    row.add(bake(compress(ddm, {.virtual_bones = count}, ranges).value), fmt::format("{} virtual bones", count));
  }
  row.write(file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: marrow_skin_pictures FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  draw_front_page(folder / "front.png");
  draw_synthetic(folder / "synthetic.png");
  draw_reduce(folder / "reduce.png");
  draw_two_layer(folder / "two-layer.png");
  draw_ddm_compression(folder / "ddm-compression.png");
  return 0;
}
