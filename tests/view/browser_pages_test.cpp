// Pages for the tests in viewer/tests, each with what a browser must find in it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/random.hpp"
#include "marrow/ddm.hpp"
#include "marrow/ddm_compression.hpp"
#include "marrow/decompose.hpp"
#include "marrow/deform.hpp"
#include "marrow/io.hpp"
#include "marrow/motion_range.hpp"
#include "marrow/synthetic.hpp"
#include "marrow/two_layer.hpp"
#include "marrow/view.hpp"
#include "support/files.hpp"
#include "support/page.hpp"
#include "support/shapes.hpp"

namespace marrow {
namespace {

class ViewBrowserPages : public ::testing::Test {
 protected:
  void SetUp() override {
    MARROW_NEEDS_PAGE();
    folder_ = testing::output_folder();
  }

  /// page.html, and expected.json with positions and errors at some vertices of some frames.
  void write(Page page, const PageOptions& options = {}) {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    page.title = info->name();
    const PageSummary summary = write_page(page, folder_ / "page.html", options);
    nlohmann::json expected = {{"position_error", summary.position_error}, {"samples", nlohmann::json::array()}};
    if (page.shown_rig() == nullptr) {
      expected["size"] = size_of(page.original->mesh.positions);
    } else {
      const Rig& rig = *page.shown_rig();
      expected["size"] = size_of(rig.mesh.positions);
      std::vector<Vec3> moved(rig.vertices()), beside(rig.vertices());
      for (const std::size_t t : {std::size_t(0), rig.frames() / 3, rig.frames() - 1}) {
        deform(rig, rig.motion.frame(t), beside);
        moved = beside;
        if (page.model != nullptr) {
          std::visit([&](const auto& kind) { deform(kind, rig.motion.frame(t), moved); }, *page.model);
        }
        std::vector<float> errors;
        if (page.original != nullptr) errors = vertex_errors(page.original->frame(t), moved);
        if (page.original == nullptr && page.model != nullptr) errors = vertex_errors(beside, moved);
        for (std::size_t i = 0; i < rig.vertices(); i += std::max<std::size_t>(1, rig.vertices() / 97)) {
          nlohmann::json sample = {{"frame", t}, {"vertex", i}, {"position", {moved[i].x, moved[i].y, moved[i].z}}};
          if (!errors.empty()) sample["error"] = errors[i];
          expected["samples"].push_back(sample);
        }
      }
    }
    write_text(expected.dump(), folder_ / "expected.json");
  }

  /// Sequence, rig and metrics; the rig may miss the sequence.
  void write_compared(const Sequence& original, const Rig& rig, const PageOptions& options = {}) {
    const Metrics metrics = compare(original, rig);
    write({.original = &original, .rig = &rig, .metrics = &metrics}, options);
  }

  std::filesystem::path folder_;
};

TEST_F(ViewBrowserPages, Quadruped) {
  const Rig rig = synthetic::quadruped({.vertices = 3000, .frames = 45});
  write_compared(synthetic::observe(rig, {.noise = 0.003}), rig);
}

TEST_F(ViewBrowserPages, Cape) {
  const Sequence cape = synthetic::cape({.vertices = 900, .frames = 30});
  const Result<Rig> found = decompose(cape, {.bones = 12, .effort = Effort::fast});
  const Metrics metrics = compare(cape, found.value);
  write({.original = &cape,
         .rig = &found.value,
         .metrics = &metrics,
         .report = &found.report,
         .error_by_bones = {{4, 9.5}, {8, 5.5}, {12, 3.5}, {24, 2}}});
}

TEST_F(ViewBrowserPages, EightInfluences) {
  Random random(8);
  const Mesh mesh = testing::sheet_of_quads(40);
  const Rig rig = testing::random_rig(random, mesh, 30, 8, 12);
  write_compared(bake(rig), rig);
}

/// Twelve influences, bones that shear and reflect, and a model far from the origin.
TEST_F(ViewBrowserPages, TwelveFlexibleInfluences) {
  Random random(12);
  Mesh mesh = testing::sheet_of_quads(30);
  for (Vec3& p : mesh.positions) p.y += 3000;
  Rig rig = testing::random_rig(random, mesh, 40, 12, 9);
  const Affine back = Affine::translation(0, -3000, 0), there = Affine::translation(0, 3000, 0);
  for (Affine& a : rig.motion.transforms) a = there * a * back;
  Sequence original = bake(rig);
  for (Vec3& p : original.positions) p.x += float(random.uniform(-0.5, 0.5));
  write_compared(original, rig);
}

TEST_F(ViewBrowserPages, RigAlone) {
  const Rig rig = synthetic::arm({.vertices = 600, .frames = 20});
  write({.rig = &rig});
}

/// Far from where it was made, as its root carries it there.
TEST_F(ViewBrowserPages, DirectDeltaMush) {
  Rig rig = synthetic::quadruped({.vertices = 1500, .frames = 30});
  for (Affine& a : rig.motion.transforms) a = Affine::translation(3, 0, -5) * a;
  const Result<DdmRig> ddm = make_ddm(rig);
  const Metrics metrics = compare(bake(rig), bake(ddm.value));
  const Model model = ddm.value;
  write({.model = &model, .metrics = &metrics, .report = &ddm.report});
}

TEST_F(ViewBrowserPages, CompressedDdm) {
  Rig rig = synthetic::quadruped({.vertices = 600, .frames = 12});
  for (Affine& a : rig.motion.transforms) a = Affine::translation(3, 0, -5) * a;
  const DdmRig ddm = make_ddm(rig).value;
  const Result<marrow::CompressedDdm> result =
      compress(ddm, {.virtual_bones = 25, .poses = 20, .iterations = 3}, default_ranges(rig.skeleton));
  const Sequence original = bake(ddm);
  const Metrics metrics = compare(original, result.value);
  const Model model = result.value;
  write({.original = &original, .model = &model, .metrics = &metrics, .report = &result.report});
}

TEST_F(ViewBrowserPages, TwoLayers) {
  const Rig rig = synthetic::quadruped({.vertices = 1500, .frames = 30});
  const Rig dense = dense_lbs(make_ddm(rig).value);
  const Sequence original = bake(dense);
  const Result<TwoLayerRig> layers = compress(dense, {.bones_per_vertex = 1.5});
  const Metrics metrics = compare(original, layers.value);
  const Model model = layers.value;
  write({.original = &original, .model = &model, .metrics = &metrics, .report = &layers.report});
}

TEST_F(ViewBrowserPages, SequenceAlone) {
  const Sequence jelly = synthetic::jelly({.vertices = 600, .frames = 20});
  write({.original = &jelly});
}

TEST_F(ViewBrowserPages, PointCloud) {
  Rig rig = synthetic::bar({.vertices = 500, .frames = 15});
  rig.mesh.face_offsets.clear();
  rig.mesh.face_vertices.clear();
  rig.mesh.corner_uvs.clear();
  rig.mesh.corner_normals.clear();
  write_compared(synthetic::observe(rig, {.noise = 0.002}), rig);
}

TEST_F(ViewBrowserPages, Sampled) {
  const Rig rig = synthetic::quadruped({.vertices = 2000, .frames = 60});
  write_compared(synthetic::observe(rig, {.noise = 0.002}), rig, {.size_limit = 1'100'000});
}

}  // namespace
}  // namespace marrow
