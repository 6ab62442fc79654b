// What the writer writes, the reader reads.
#include <gtest/gtest.h>

#include "marrow/deform.hpp"
#include "marrow/io.hpp"
#include "marrow/metrics.hpp"
#include "marrow/synthetic.hpp"
#include "support/files.hpp"
#include "support/rigs.hpp"

namespace marrow {
namespace {

Rig written_and_read(const Rig& rig, const ReadOptions& options = {}) {
  const auto file = testing::output_folder() / "rig.glb";
  write_glb(rig, file);
  return read_rig(file, options);
}

/// The same bones, clips and influences, and frames within 1e-5 of the size.
void expect_same(const Rig& rig, const Rig& read) {
  validate(read);
  EXPECT_EQ(read.skeleton.names, rig.skeleton.names);
  EXPECT_EQ(read.skeleton.parents, rig.skeleton.parents);
  EXPECT_EQ(read.motion.timeline.clips, rig.motion.timeline.clips);
  EXPECT_EQ(read.weights.bones, rig.weights.bones);
  EXPECT_EQ(read.mesh.positions, rig.mesh.positions);
  ASSERT_EQ(read.frames(), rig.frames());
  const Metrics metrics = compare(bake(rig), read);
  EXPECT_LT(metrics.error.max, 1e-5 * metrics.size);
}

TEST(GlbWriteRoundTrip, SyntheticRigs) {
  const synthetic::Options options{.vertices = 400, .frames = 9};
  for (const Rig& rig : {synthetic::bar(options), synthetic::arm(options), synthetic::quadruped(options),
                         synthetic::shells(options), synthetic::poses(options)}) {
    expect_same(rig, written_and_read(rig));
  }
}

TEST(GlbWriteRoundTrip, FlexibleBonesAndManyInfluences) {
  const auto flexible = [](std::size_t j, const Vec3& pivot, double s) {
    const double a = s + 0.3 * double(j);
    return testing::about(pivot, testing::rotation(0, 1, 1, a) * testing::scaling(1 + 0.5 * s, 1 - 0.3 * s, 1) *
                                     testing::rotation(1, 0, 0, 2 * a));
  };
  for (const std::size_t influences : {1, 4, 5, 12}) {
    const Rig rig = testing::tube_rig({.bones = 12, .influences = influences, .clips = 2}, flexible);
    EXPECT_EQ(rig.weights.max_influences(), influences);
    expect_same(rig, written_and_read(rig));
  }
}

TEST(GlbWriteRoundTrip, SeamsAreFoldedBack) {
  const Rig rig = synthetic::bar({.vertices = 300, .frames = 4});
  ASSERT_FALSE(rig.mesh.corner_uvs.empty());
  const Rig read = written_and_read(rig);
  expect_same(rig, read);
  const auto expected = triangles(rig.mesh);
  EXPECT_EQ(triangles(read.mesh), expected);
  // Every corner of every triangle keeps its texture coordinate, on both sides of the seam.
  ASSERT_EQ(read.mesh.corner_uvs.size(), 3 * expected.size());
  std::size_t corner = 0;
  for (std::size_t f = 0; f < rig.mesh.faces(); ++f) {
    const std::uint32_t first = rig.mesh.face_offsets[f];
    for (std::uint32_t c = first + 2; c < rig.mesh.face_offsets[f + 1]; ++c) {
      for (const std::uint32_t source : {first, c - 1, c}) {
        const Vec2 &a = rig.mesh.uvs[rig.mesh.corner_uvs[source]], &b = read.mesh.uvs[read.mesh.corner_uvs[corner++]];
        EXPECT_NEAR(a.x, b.x, 1e-6);
        EXPECT_NEAR(a.y, b.y, 1e-6);
      }
    }
  }
}

TEST(GlbWriteRoundTrip, UnitsAndAxesApplyToRigsReadByName) {
  const Rig rig = synthetic::arm({.vertices = 200, .frames = 3});
  const Rig read = written_and_read(rig, {.up = 'z', .unit = 0.01});
  const Sequence expected = bake(rig), got = bake(read);
  for (std::size_t k = 0; k < expected.positions.size(); ++k) {
    const Vec3 &p = expected.positions[k], &q = got.positions[k];
    EXPECT_NEAR(q.x, 0.01 * p.x, 1e-6);
    EXPECT_NEAR(q.y, 0.01 * p.z, 1e-6);
    EXPECT_NEAR(q.z, -0.01 * p.y, 1e-6);
  }
}

}  // namespace
}  // namespace marrow
