// Odd rigs in all forms that can be written. The validator looks at what GlbWrite* leaves behind.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "marrow/ddm.hpp"
#include "marrow/ddm_compression.hpp"
#include "marrow/error.hpp"
#include "marrow/io.hpp"
#include "marrow/synthetic.hpp"
#include "marrow/two_layer.hpp"
#include "support/files.hpp"
#include "support/rigs.hpp"
#include "support/shapes.hpp"

namespace marrow {
namespace {

struct OddRig {
  const char* name;
  Rig rig;
};

Rig tube(const testing::TubeOptions& options) {
  return testing::tube_rig(options, [](std::size_t j, const Vec3& pivot, double s) {
    return testing::about(pivot, testing::rotation(0, 0, 1, s * double(j + 1) / 3));
  });
}

Rig without_frames(Rig rig) {
  rig.motion = {{}, rig.bones(), {}};
  return rig;
}

/// Bones that no vertex follows, before and after those that some do.
Rig with_unused_bones(Rig rig) {
  const std::size_t bones = rig.bones();
  Motion motion{rig.motion.timeline, bones + 2, {}};
  for (std::size_t t = 0; t < rig.frames(); ++t) {
    motion.transforms.emplace_back();
    const auto frame = rig.motion.frame(t);
    motion.transforms.insert(motion.transforms.end(), frame.begin(), frame.end());
    motion.transforms.emplace_back();
  }
  rig.motion = std::move(motion);
  for (std::int32_t& parent : rig.skeleton.parents) parent += parent < 0 ? 0 : 1;
  for (std::uint32_t& bone : rig.weights.bones) ++bone;
  for (const bool front : {true, false}) {
    rig.skeleton.names.insert(front ? rig.skeleton.names.begin() : rig.skeleton.names.end(), front ? "first" : "last");
    rig.skeleton.parents.insert(front ? rig.skeleton.parents.begin() : rig.skeleton.parents.end(), -1);
    rig.skeleton.bind.insert(front ? rig.skeleton.bind.begin() : rig.skeleton.bind.end(), Affine{});
  }
  return rig;
}

Rig with_odd_names(Rig rig) {
  const std::vector<std::string> names = {"\"quoted\" \\ / \n\t", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\xA6\xB4",
                                          "not \xFF UTF-8",       std::string("nul \0 inside", 12),
                                          "marrow_root",          "mesh"};
  for (std::size_t j = 0; j < rig.bones(); ++j) rig.skeleton.names[j] = names[j];
  for (Clip& clip : rig.motion.timeline.clips) clip.name = clip.first == 0 ? "" : "twice";
  return rig;
}

/// Each vertex follows one bone.
Rig rigid(Rig rig) {
  rig.weights = {{0}, {}, {}};
  for (std::size_t i = 0; i < rig.vertices(); ++i) {
    rig.weights.bones.push_back(std::uint32_t(i % rig.bones()));
    rig.weights.values.push_back(1);
    rig.weights.offsets.push_back(std::uint32_t(i + 1));
  }
  return rig;
}

/// All bones on all vertices, some with weights too small to matter.
Rig with_many_weights(Rig rig) {
  rig.weights = {{0}, {}, {}};
  for (std::size_t i = 0; i < rig.vertices(); ++i) {
    for (std::size_t j = 0; j < rig.bones(); ++j) {
      rig.weights.bones.push_back(std::uint32_t(j));
      const bool tiny = j % 3 == 2;
      const auto others = float(rig.bones() - rig.bones() / 3);
      rig.weights.values.push_back(tiny ? std::numeric_limits<float>::denorm_min() : 1 / others);
    }
    rig.weights.offsets.push_back(std::uint32_t(rig.weights.bones.size()));
  }
  return rig;
}

Rig one_vertex() {
  Random random(3);
  Mesh mesh;
  mesh.positions = {{1, 2, 3}};
  return testing::random_rig(random, std::move(mesh), 1, 1, 2);
}

Rig with_uvs(Rig rig) {
  rig.mesh.uvs = {{0, 0}, {1, 0.5f}};
  for (std::size_t c = 0; c < rig.mesh.face_vertices.size(); ++c) {
    rig.mesh.corner_uvs.push_back(std::uint32_t(c % 2));
  }
  return rig;
}

/// Two clips of one name, and one more of none.
Rig with_clips(Rig rig) {
  rig.motion.timeline.clips = {{"", 0, 1}, {"turn", 1, 3}, {"turn", 4, rig.frames() - 4}};
  return rig;
}

/// All vertices in one place and one bone that flattens them.
Rig flattened() {
  Rig rig = tube({.rings = 3, .bones = 2, .frames = 2});
  for (Affine& transform : rig.motion.transforms) transform = testing::scaling(1, 0, 1);
  for (Vec3& p : rig.mesh.positions) p = {0, 0, 0};
  return rig;
}

std::vector<OddRig> odd_rigs() {
  return {{"one_vertex", one_vertex()},
          {"one_bone", tube({.rings = 3, .bones = 1, .influences = 1, .frames = 2})},
          {"no_motion", without_frames(tube({.rings = 4, .bones = 2}))},
          {"one_frame", tube({.rings = 4, .bones = 2, .frames = 1})},
          {"unused_bones", with_unused_bones(tube({.rings = 5, .bones = 2, .chain = true}))},
          {"one_weight", rigid(tube({.rings = 5, .bones = 3}))},
          {"many_bones", tube({.rings = 60, .sides = 6, .bones = 300, .frames = 3})},
          {"many_weights", with_many_weights(tube({.rings = 4, .bones = 11, .frames = 3}))},
          {"no_faces", tube({.rings = 5, .bones = 3, .faces = false})},
          {"uvs_without_normals", with_uvs(tube({.rings = 5, .bones = 3}))},
          {"clips", with_clips(tube({.rings = 5, .bones = 2}))},
          {"odd_names", with_odd_names(tube({.rings = 5, .bones = 6, .frames = 2, .clips = 3, .chain = true}))},
          {"flat", flattened()}};
}

/// A rig in one form. Solvers may refuse what makes no sense to them, but what is written must be right.
struct Form {
  const char* name;
  std::function<void(const Rig&, const std::filesystem::path&)> write;
};

CompressedDdm compressed(const Rig& rig, std::size_t virtual_bones, std::size_t influences) {
  return compress(make_ddm(rig).value,
                  {.virtual_bones = virtual_bones, .influences = influences, .poses = 10, .iterations = 2},
                  default_ranges(rig.skeleton))
      .value;
}

TwoLayerRig two_layers(const Rig& rig, double bones_per_vertex, std::size_t virtual_bones) {
  return compress(rig, {.bones_per_vertex = bones_per_vertex, .virtual_bones = virtual_bones, .effort = Effort::fast})
      .value;
}

std::vector<Form> all_forms() {
  return {
      {"plain", [](const Rig& rig, const auto& file) { write_glb(rig, file); }},
      {"without_normals", [](const Rig& rig, const auto& file) { write_glb(rig, file, {.normals = false}); }},
      {"ddm", [](const Rig& rig, const auto& file) { write_glb(make_ddm(rig).value, file); }},
      {"compressed", [](const Rig& rig, const auto& file) { write_glb(compressed(rig, 12, 4), file); }},
      {"compressed_to_one", [](const Rig& rig, const auto& file) { write_glb(compressed(rig, 2, 1), file); }},
      {"baked", [](const Rig& rig, const auto& file) { write_glb(bake_virtual_bones(compressed(rig, 12, 4)), file); }},
      {"two_layers", [](const Rig& rig, const auto& file) { write_glb(two_layers(rig, 4, 0), file); }},
      {"one_virtual_bone", [](const Rig& rig, const auto& file) { write_glb(two_layers(rig, 0, 1), file); }},
      {"float_layers",
       [](const Rig& rig, const auto& file) { write_glb(two_layers(rig, 0, 1), file, {.float_layers = true}); }},
      {"baked_layers",
       [](const Rig& rig, const auto& file) { write_glb(bake_virtual_bones(two_layers(rig, 4, 0)), file); }},
  };
}

TEST(GlbWriteOddRigs, AreValidInEveryForm) {
  const auto folder = testing::output_folder();
  for (const OddRig& odd : odd_rigs()) {
    for (const Form& form : all_forms()) {
      SCOPED_TRACE(std::string(odd.name) + " " + form.name);
      const auto file = folder / (std::string(odd.name) + "_" + form.name + ".glb");
      try {
        form.write(odd.rig, file);
      } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find("fault of Marrow"), std::string::npos) << error.what();
        EXPECT_FALSE(std::filesystem::exists(file));
        std::cout << odd.name << " " << form.name << ": refused: " << error.what() << "\n";
        continue;
      }
      EXPECT_EQ(read_rig(file).vertices(), odd.rig.vertices());
      if (has_model_extension(file)) {
        EXPECT_NO_THROW(read_model(file));
      }
    }
  }
}

}  // namespace
}  // namespace marrow
