// The pictures of docs/ddm.md: marrow_ddm_pictures FOLDER CHARACTER.glb... Characters stand in a T pose and
// have Mixamo's names of bones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "marrow/ddm.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"
#include "marrow/io.hpp"
#include "marrow/metrics.hpp"
#include "marrow/render.hpp"
#include "marrow/synthetic.hpp"

namespace {

using namespace marrow;

std::size_t find_bone(const Skeleton& skeleton, const std::string& end) {
  const auto found = std::ranges::find_if(skeleton.names, [&](const std::string& n) { return n.ends_with(end); });
  if (found == skeleton.names.end()) throw Error(ErrorCode::bad_input, "skeleton", "has no bone " + end);
  return std::size_t(found - skeleton.names.begin());
}

/// Rotates a bone and its descendants about its joint; `axis`: 0 x, 1 y, 2 z.
std::vector<Affine> turned(const Skeleton& skeleton, std::size_t bone, std::size_t axis, double degrees) {
  const double c = std::cos(degrees * std::numbers::pi / 180), s = std::sin(degrees * std::numbers::pi / 180);
  const std::size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
  Affine turn;
  turn(a, a) = turn(b, b) = c;
  turn(a, b) = -s;
  turn(b, a) = s;
  const Affine& bind = skeleton.bind[bone];
  const Affine about = Affine::translation(bind(0, 3), bind(1, 3), bind(2, 3)) * turn *
                       Affine::translation(-bind(0, 3), -bind(1, 3), -bind(2, 3));
  std::vector<Affine> pose(skeleton.bones());
  std::vector<bool> below(skeleton.bones(), false);
  for (std::size_t j = bone; j < skeleton.bones(); ++j) {
    below[j] = j == bone || (skeleton.parents[j] >= 0 && below[std::size_t(skeleton.parents[j])]);
    if (below[j]) pose[j] = about;
  }
  return pose;
}

/// A cube around a joint, to fit the view to.
std::vector<Vec3> around(const Affine& bind, float radius) {
  std::vector<Vec3> corners;
  for (const float x : {-radius, radius}) {
    for (const float y : {-radius, radius}) {
      for (const float z : {-radius, radius}) {
        corners.push_back({float(bind(0, 3)) + x, float(bind(1, 3)) + y, float(bind(2, 3)) + z});
      }
    }
  }
  return corners;
}

Image labelled(const Mesh& mesh, const std::vector<Vec3>& positions, const RenderOptions& options,
               const std::vector<Vec3>& frame, const std::string& text) {
  Image image = render(mesh, positions, {}, {}, options, frame);
  draw_label(image, 10, 10, text);
  return image;
}

/// LBS, DDM and Delta Mush of one pose.
void add_row(std::vector<Image>& images, const DdmRig& ddm, const DeltaMush& mush, const std::vector<Affine>& pose,
             const RenderOptions& options, const std::vector<Vec3>& frame, const std::string& what) {
  std::vector<Vec3> positions(ddm.vertices());
  deform(ddm.rig, pose, positions);
  images.push_back(labelled(ddm.rig.mesh, positions, options, frame, what + ": LBS"));
  deform(ddm, pose, positions);
  images.push_back(labelled(ddm.rig.mesh, positions, options, frame, what + ": DDM"));
  mush.deform(pose, positions);
  images.push_back(labelled(ddm.rig.mesh, positions, options, frame, what + ": Delta Mush"));
}

void draw_character(const Rig& rig, const std::filesystem::path& file) {
  const DdmRig ddm = make_ddm(rig).value;
  const DeltaMush mush(rig);
  const std::size_t elbow = find_bone(rig.skeleton, "LeftForeArm"), shoulder = find_bone(rig.skeleton, "LeftArm");
  // Metres for a character of 1.8 m.
  const auto scale = float(size_of(rig.mesh.positions) / 2.5);
  std::vector<Image> images;
  const RenderOptions options{.width = 420, .height = 330, .view = View::front, .wireframe = true};
  RenderOptions top = options;
  top.view = View::top;
  add_row(images, ddm, mush, turned(rig.skeleton, elbow, 1, -100), top, around(rig.skeleton.bind[elbow], 0.12F * scale),
          "elbow");
  add_row(images, ddm, mush, turned(rig.skeleton, shoulder, 2, -75), options,
          around(rig.skeleton.bind[shoulder], 0.18F * scale), "shoulder");
  write_png(tile(images, 3), file);
}

/// A generated arm, where the two skins differ most.
void draw_arm(const std::filesystem::path& file) {
  const Rig rig = synthetic::arm({.vertices = 5000, .frames = 60});
  const DdmRig ddm = make_ddm(rig).value;
  const Metrics difference = compare(bake(rig), bake(ddm));
  const auto pose = rig.motion.frame(difference.worst_frame);
  std::vector<Vec3> frame(rig.vertices());
  deform(ddm, pose, frame);
  std::vector<Image> images;
  add_row(images, ddm, DeltaMush(rig), {pose.begin(), pose.end()},
          {.width = 420, .height = 400, .view = View::front, .wireframe = true}, frame, "arm");
  write_png(tile(images, 3), file);
}

/// One bar per setting, bent by 90 degrees and twisted by 180.
void draw_settings(const std::filesystem::path& file) {
  const Rig rig = synthetic::bar({.vertices = 3000, .frames = 40});
  const RenderOptions options{.width = 330, .height = 200, .view = View::front, .wireframe = true};
  struct Setting {
    std::string name;
    DdmOptions options;
  };
  const std::vector<Setting> settings = {{"default", {}},
                                         {"reach 0.2 / 0.1", {.rotation_reach = 0.2, .translation_reach = 0.1}},
                                         {"reach 1.5 / 0.75", {.rotation_reach = 1.5, .translation_reach = 0.75}},
                                         {"alpha 0", {.alpha = 0}},
                                         {"alpha 0.9", {.alpha = 0.9}}};
  const auto frame = around(Affine::translation(1, 0.1, 0), 0.45F);
  std::vector<Vec3> positions(rig.vertices());
  std::vector<Image> images;
  for (const std::size_t t : {10, 30}) {
    deform(rig, rig.motion.frame(t), positions);
    images.push_back(labelled(rig.mesh, positions, options, frame, t == 10 ? "LBS, bend" : "LBS, twist"));
    for (const Setting& setting : settings) {
      deform(make_ddm(rig, setting.options).value, rig.motion.frame(t), positions);
      images.push_back(labelled(rig.mesh, positions, options, frame, setting.name));
    }
  }
  write_png(tile(images, 3), file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: marrow_ddm_pictures FOLDER CHARACTER.glb...\n");
    return 2;
  }
  try {
    const std::filesystem::path folder = argv[1];
    draw_settings(folder / "ddm-settings.png");
    draw_arm(folder / "ddm-arm.png");
    for (int k = 2; k < argc; ++k) {
      const std::string name = std::filesystem::path(argv[k]).stem().string();
      draw_character(read_rig(argv[k]), folder / fmt::format("ddm-{}.png", name));
    }
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
