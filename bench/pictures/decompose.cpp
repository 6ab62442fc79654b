// Draws the pictures of docs/decompose.md from generated data: marrow_pictures FOLDER
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "marrow/decompose.hpp"
#include "marrow/deform.hpp"
#include "marrow/metrics.hpp"
#include "marrow/render.hpp"
#include "marrow/synthetic.hpp"

namespace {

using marrow::DecomposeOptions;
using marrow::Image;
using marrow::Rig;
using marrow::Sequence;

struct Case {
  std::string label;
  DecomposeOptions options;
};

class Pictures {
 public:
  explicit Pictures(std::filesystem::path folder) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
  }

  /// One frame per case, coloured by its error; the same scale for all.
  void errors(const std::string& name, const Sequence& sequence, std::size_t frame, float top_percent,
              const std::vector<Case>& cases) const {
    const double size = marrow::size_of(sequence.mesh.positions);
    std::vector<Image> images;
    for (const Case& c : cases) {
      const Sequence played = marrow::bake(marrow::decompose(sequence, c.options).value);
      const std::vector<float> errors = marrow::vertex_errors(sequence.frame(frame), played.frame(frame));
      const auto colors = marrow::heat_colors(errors, float(top_percent / 100 * size));
      images.push_back(draw(played, frame, colors));
      marrow::draw_heat_legend(images.back(), top_percent, "% of size");
      label(images.back(), fmt::format("{}: E {:.2f}", c.label, marrow::compare(sequence, played).e_rms));
    }
    write(name, images);
  }

  /// One frame per case in the colours of its bones; `truth` is the sequence without noise.
  void bones(const std::string& name, const Sequence& sequence, const Sequence& truth, std::size_t frame,
             const std::vector<Case>& cases) const {
    std::vector<Image> images;
    for (const Case& c : cases) {
      const Rig rig = marrow::decompose(sequence, c.options).value;
      const Sequence played = marrow::bake(rig);
      images.push_back(draw(played, frame, marrow::bone_colors(rig.weights, rig.bones())));
      label(images.back(), fmt::format("{}: E {:.2f}, clean {:.2f}", c.label, marrow::compare(sequence, played).e_rms,
                                       marrow::compare(truth, played).e_rms));
    }
    write(name, images);
  }

 private:
  static Image draw(const Sequence& sequence, std::size_t frame, const std::vector<marrow::Rgb>& colors) {
    return marrow::render(sequence.mesh, sequence.frame(frame), colors, {}, {.width = 420, .height = 400});
  }
  static void label(Image& image, const std::string& text) {
    fmt::print("  {}\n", text);
    marrow::draw_label(image, 8, image.height - 26, text);
  }
  void write(const std::string& name, const std::vector<Image>& images) const {
    const std::filesystem::path file = folder_ / (name + ".png");
    marrow::write_png(marrow::tile(images, std::min(4, int(images.size()))), file);
    fmt::print("wrote {}\n", file.string());
  }

  std::filesystem::path folder_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: marrow_pictures FOLDER\n");
    return 2;
  }
  const Pictures pictures(argv[1]);
  const Sequence walk = marrow::bake(marrow::synthetic::quadruped({.vertices = 6000}));
  constexpr std::size_t step = 12;
  pictures.errors("bones", walk, step, 2,
                  {{"5 bones", {.bones = 5}},
                   {"10 bones", {.bones = 10}},
                   {"15 bones", {.bones = 15}},
                   {"20 bones", {.bones = 20}}});
  pictures.errors("influences", walk, step, 2,
                  {{"1 influence", {.bones = 12, .influences = 1}},
                   {"2 influences", {.bones = 12, .influences = 2}},
                   {"4 influences", {.bones = 12, .influences = 4}},
                   {"all", {.bones = 12, .influences = 12}}});
  pictures.errors("kind", walk, step, 2,
                  {{"rigid", {.bones = 8}},
                   {"scale", {.bones = 8, .kind = marrow::BoneKind::scale}},
                   {"stretch", {.bones = 8, .kind = marrow::BoneKind::stretch}},
                   {"flexible", {.bones = 8, .kind = marrow::BoneKind::flexible}}});
  pictures.errors("rest-pose", walk, step, 2,
                  {{"keep", {.bones = 8}},
                   {"once", {.bones = 8, .rest_pose = marrow::RestPose::once}},
                   {"alternate, 0.5 %", {.bones = 8, .rest_pose = marrow::RestPose::alternate, .rest_limit = 0.005}},
                   {"alternate", {.bones = 8, .rest_pose = marrow::RestPose::alternate}}});
  pictures.errors("effort", walk, step, 2,
                  {{"fast", {.bones = 10, .effort = marrow::Effort::fast}},
                   {"normal", {.bones = 10}},
                   {"best", {.bones = 10, .effort = marrow::Effort::best}}});
  const marrow::synthetic::Options noisy{.vertices = 6000, .frames = 12, .noise = 0.003};
  const Rig poses = marrow::synthetic::poses(noisy);
  pictures.bones("smooth", marrow::synthetic::observe(poses, noisy), marrow::bake(poses), 3,
                 {{"0", {.bones = 20, .smooth = 0}},
                  {"1", {.bones = 20, .smooth = 1}},
                  {"4", {.bones = 20, .smooth = 4}},
                  {"16", {.bones = 20, .smooth = 16}}});
  return 0;
}
