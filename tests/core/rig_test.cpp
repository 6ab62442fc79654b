#include "marrow/rig.hpp"

#include <gtest/gtest.h>

#include "support/shapes.hpp"

namespace marrow {
namespace {

/// Three vertices on the x axis at 0, 4 and 8; bone 0 has the first and half of the second, bone 2 the rest, bone 1
/// nothing.
struct Chain {
  Mesh mesh;
  Weights weights{.offsets = {0, 1, 3, 4}, .bones = {0, 0, 2, 2}, .values = {1, 0.5f, 0.5f, 1}};

  Chain() { mesh.positions = {{0, 1, 0}, {4, 1, 0}, {8, 4, 0}}; }
};

TEST(Rig, RowsOfWeights) {
  const Chain chain;
  EXPECT_EQ(chain.weights.vertices(), 3u);
  EXPECT_EQ(chain.weights.max_influences(), 2u);
  EXPECT_EQ(chain.weights.row_bones(1)[1], 2u);
  EXPECT_EQ(chain.weights.row_values(2)[0], 1);
  EXPECT_EQ(chain.weights.row_values(2).size(), 1u);
  EXPECT_EQ(Weights{}.vertices(), 0u);
  EXPECT_EQ(Weights{}.max_influences(), 0u);
}

TEST(Rig, CentroidsAreWeightedAverages) {
  const Chain chain;
  const auto centroids = weighted_centroids(chain.mesh, chain.weights, 3);
  ASSERT_EQ(centroids.size(), 3u);
  // Bone 0: (1 * 0 + 0.5 * 4) / 1.5 = 4/3. Bone 2: (0.5 * 4 + 8) / 1.5 = 20/3 and y = (0.5 + 4) / 1.5 = 3.
  EXPECT_FLOAT_EQ(centroids[0].x, 4.0f / 3);
  EXPECT_FLOAT_EQ(centroids[0].y, 1);
  EXPECT_FLOAT_EQ(centroids[2].x, 20.0f / 3);
  EXPECT_FLOAT_EQ(centroids[2].y, 3);
  // Bone 1 moves nothing: the average of the mesh.
  EXPECT_EQ(centroids[1], (Vec3{4, 2, 0}));
}

TEST(Rig, CentroidsOfNothingAreZero) {
  const Weights none{.offsets = {0}, .bones = {}, .values = {}};
  EXPECT_EQ(weighted_centroids({}, none, 2), (std::vector<Vec3>(2, {0, 0, 0})));
}

TEST(Rig, CentroidSkeletonIsFlatAndStandsAtTheCentroids) {
  const Chain chain;
  const Skeleton skeleton = centroid_skeleton(chain.mesh, chain.weights, 3);
  EXPECT_NO_THROW(validate(skeleton));
  EXPECT_EQ(skeleton.names, (std::vector<std::string>{"bone_000", "bone_001", "bone_002"}));
  EXPECT_EQ(skeleton.parents, (std::vector<std::int32_t>{-1, -1, -1}));
  EXPECT_EQ(skeleton.bind[1], Affine::translation(4, 2, 0));
}

TEST(Rig, FramesOfMotionAreSlices) {
  Random random(1);
  Rig rig = testing::random_rig(random, testing::cube_of_quads(), 3, 2, 4);
  rig.motion.transforms[2 * 3 + 1] = Affine::translation(7, 8, 9);
  EXPECT_EQ(rig.motion.frame(2)[1], Affine::translation(7, 8, 9));
  rig.motion.frame(3)[2] = Affine::translation(1, 1, 1);
  EXPECT_EQ(rig.motion.transforms.back(), Affine::translation(1, 1, 1));
  EXPECT_EQ(rig.bones(), 3u);
  EXPECT_EQ(rig.frames(), 4u);
  EXPECT_EQ(rig.vertices(), 8u);
}

}  // namespace
}  // namespace marrow
