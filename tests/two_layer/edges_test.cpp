// Meshes and weights at the edge of what makes sense.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/shapes.hpp"
#include "two_layer/layers.hpp"

namespace marrow {
namespace {

using testing::expect_layers;
using testing::noisy_target;
using testing::smooth_rig;
using testing::with_dense_weights;

/// Every way to compress, each of which must keep the rules; gives the largest error of the weights.
double worst_of_all_ways(const Rig& rig, bool poses = true) {
  double worst = 0;
  for (const CompressMethod method : {CompressMethod::refined, CompressMethod::paper}) {
    for (CompressOptions options : {CompressOptions{.bones_per_vertex = 4}, CompressOptions{.bones_per_vertex = 8},
                                    CompressOptions{.virtual_bones = 3}}) {
      options.method = method;
      SCOPED_TRACE(fmt::format("method {}, {} per vertex", int(method), options.bones_per_vertex.value_or(0)));
      const TwoLayerRig result = compress(rig, options).value;
      validate(result);
      if (!options.virtual_bones) worst = std::max(worst, weight_error(rig.weights, result));
    }
  }
  if (poses) {
    const Sequence target = noisy_target(rig);
    for (const bool any_sign : {false, true}) {
      validate(compress(rig, {.any_sign = any_sign}, &target).value);
    }
  }
  return worst;
}

/// A mesh of loose points that all bones of another rig move.
Rig points_of(Rig rig, std::size_t count) {
  rig.mesh.positions.resize(count);
  rig.mesh.face_offsets.clear();
  rig.mesh.face_vertices.clear();
  rig.mesh.uvs.clear();
  rig.mesh.corner_uvs.clear();
  rig.mesh.normals.clear();
  rig.mesh.corner_normals.clear();
  rig.weights.offsets.resize(count + 1);
  rig.weights.bones.resize(rig.weights.offsets.back());
  rig.weights.values.resize(rig.weights.offsets.back());
  return rig;
}

/// All vertices follow these bones by as much.
Rig with_equal_rows(Rig rig, const std::vector<float>& row) {
  rig.weights = {{0}, {}, {}};
  for (std::size_t i = 0; i < rig.vertices(); ++i) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0) continue;
      rig.weights.bones.push_back(std::uint32_t(j));
      rig.weights.values.push_back(row[j]);
    }
    rig.weights.offsets.push_back(std::uint32_t(rig.weights.bones.size()));
  }
  return rig;
}

TEST(TwoLayerEdges, OneVertexAndTwo) {
  const Rig rig = smooth_rig(synthetic::arm({.vertices = 100, .frames = 6}));
  // One vertex: a blend of 6 bones is 7 values, and 4 are too few.
  for (const std::size_t count : {1U, 2U}) {
    const Rig few = points_of(rig, count);
    worst_of_all_ways(few, count > 1);
    const TwoLayerRig enough = compress(few, {.bones_per_vertex = 7}).value;
    EXPECT_LE(enough.bones_per_vertex(), 7);
    EXPECT_LT(weight_error(few.weights, enough), 0.01);
  }
}

TEST(TwoLayerEdges, OneBone) {
  Rig rig = synthetic::shells({.vertices = 60, .frames = 5}, 1);
  EXPECT_EQ(rig.bones(), 1U);
  EXPECT_EQ(worst_of_all_ways(rig), 0);
  const TwoLayerRig result = compress(rig).value;
  EXPECT_EQ(result.virtual_bone_count(), 1U);
  EXPECT_EQ(result.weights.values, std::vector<float>(rig.vertices(), 1));
}

TEST(TwoLayerEdges, SeveralShells) {
  const Rig rig = with_dense_weights(synthetic::shells({.vertices = 400, .frames = 6}, 12), 12);
  EXPECT_EQ(count_shells(rig.mesh), 12U);
  EXPECT_LT(worst_of_all_ways(rig), 60);
}

TEST(TwoLayerEdges, PointCloud) {
  const Rig mesh = smooth_rig(synthetic::arm({.vertices = 400, .frames = 6}));
  const Rig cloud = points_of(mesh, mesh.vertices());
  validate(cloud);
  worst_of_all_ways(cloud);
  const Rig largest = reduce(cloud, {.influences = 4, .method = ReduceMethod::klargest}).value;
  const double by_largest = testing::delta_w(testing::dense_rows(cloud.weights, cloud.bones()),
                                             testing::dense_rows(largest.weights, cloud.bones()));
  // Vertices learn from their neighbours; where they have none, they look further.
  EXPECT_LT(weight_error(cloud.weights, compress(cloud).value), by_largest / 100);
  EXPECT_LT(weight_error(cloud.weights, compress(cloud, {.effort = Effort::best}).value), by_largest / 100);
}

TEST(TwoLayerEdges, PointsBesideFaces) {
  Rig rig = smooth_rig(synthetic::arm({.vertices = 400, .frames = 6}));
  const double with_faces = weight_error(rig.weights, compress(rig).value);
  // Only a quarter of the faces is left, so that most vertices have no neighbours.
  rig.mesh.face_offsets.resize(rig.mesh.faces() / 4 + 1);
  rig.mesh.face_vertices.resize(rig.mesh.face_offsets.back());
  rig.mesh.corner_uvs.clear();
  rig.mesh.corner_normals.clear();
  EXPECT_LT(weight_error(rig.weights, compress(rig).value), 2 * with_faces);
}

TEST(TwoLayerEdges, RigidWeightsAreKept) {
  const Rig rig = synthetic::shells({.vertices = 300, .frames = 6}, 10);
  EXPECT_EQ(rig.weights.max_influences(), 1U);
  // Values below 1e-6 are left out, of which Delta_W counts a thousand times.
  EXPECT_LT(worst_of_all_ways(rig), 1e-2);
  EXPECT_EQ(weight_error(rig.weights, compress(rig, {.bones_per_vertex = 2}).value), 0);
  // Ten virtual bones are enough, and where no more may be, these are found.
  const TwoLayerRig ten = compress(rig, {.virtual_bones = 10}).value;
  EXPECT_EQ(weight_error(rig.weights, ten), 0);
}

TEST(TwoLayerEdges, EqualWeightsNeedOneVirtualBone) {
  const Rig even = with_equal_rows(synthetic::quadruped({.vertices = 300, .frames = 4}), std::vector<float>(20, 0.05F));
  const Rig uneven = with_equal_rows(synthetic::arm({.vertices = 200, .frames = 4}), {0.5F, 0.25F, 0, 0.125F, 0.125F});
  for (const Rig* rig : {&even, &uneven}) {
    EXPECT_LT(worst_of_all_ways(*rig), 1e-3);
    const TwoLayerRig result = compress(*rig).value;
    EXPECT_EQ(result.virtual_bone_count(), 1U);
    EXPECT_LT(result.bones_per_vertex(), 1.2);
  }
}

/// Where the values that are to stay cannot be told from the others by size, some stay all the same.
TEST(TwoLayerEdges, EqualWeightsCanBeCut) {
  const Rig rig = with_equal_rows(synthetic::quadruped({.vertices = 300, .frames = 4}), std::vector<float>(20, 0.05F));
  const Sequence target = noisy_target(rig);
  for (const CompressMethod method : {CompressMethod::refined, CompressMethod::paper}) {
    for (const std::size_t cardinality : {1U, 3U}) {
      for (const std::size_t virtual_bones : {0U, 2U, 7U}) {
        CompressOptions options{.method = method, .cardinality = cardinality};
        if (virtual_bones > 0) options.virtual_bones = virtual_bones;
        SCOPED_TRACE(
            fmt::format("method {}, cardinality {}, {} virtual bones", int(method), cardinality, virtual_bones));
        expect_layers(compress(rig, options).value, options, 4);
        if (method == CompressMethod::refined) expect_layers(compress(rig, options, &target).value, options, 4);
      }
    }
  }
}

TEST(TwoLayerEdges, PosesMaySayNothing) {
  Rig rig = smooth_rig(synthetic::arm({.vertices = 300, .frames = 4}));
  Rig still = rig, single = slice(rig, 2, 1);
  for (Affine& m : still.motion.transforms) m = Affine::translation(1, 2, 3);
  for (const Rig* poses : {&still, &single}) {
    const Sequence own = bake(*poses);
    for (const bool any_sign : {false, true}) {
      const CompressOptions options{.bones_per_vertex = 3, .any_sign = any_sign};
      const TwoLayerRig result = compress(*poses, options, &own).value;
      expect_layers(result, options, 3);
      const Metrics metrics = compare(own, result);
      EXPECT_LT(metrics.error.max, 0.05 * metrics.size) << (any_sign ? "any sign" : "convex");
    }
  }
}

/// Where a model stands must not matter: sums over poses lose no digits to it.
TEST(TwoLayerEdges, FarFromTheOrigin) {
  Rig rig = smooth_rig(synthetic::quadruped({.vertices = 600, .frames = 10}));
  const Sequence own = bake(rig);
  const double near = compare(own, compress(rig, {.bones_per_vertex = 3}, &own).value).e_rms;
  const auto size = float(size_of(rig.mesh.positions));
  const double away = 50 * double(size);
  for (Vec3& p : rig.mesh.positions) p.x += 50 * size;
  for (Affine& m : rig.motion.transforms) m = Affine::translation(away, 0, 0) * m * Affine::translation(-away, 0, 0);
  const Sequence moved = bake(rig);
  EXPECT_LT(compare(moved, compress(rig, {.bones_per_vertex = 3}, &moved).value).e_rms, 1.1 * near);
}

/// One coefficient per vertex and one value of one virtual bone are what there must be.
TEST(TwoLayerEdges, TinyBudgetsAreKept) {
  for (const Rig& rig : {smooth_rig(synthetic::shells({.vertices = 120, .frames = 4}, 7)),
                         smooth_rig(synthetic::arm({.vertices = 150, .frames = 4}))}) {
    const Sequence target = noisy_target(rig);
    for (const double budget : {1.001, 1.01, 1.05, 1.1, 1.3}) {
      for (const Sequence* poses : {static_cast<const Sequence*>(nullptr), &target}) {
        CompressOptions options{.bones_per_vertex = budget, .coefficients = 2, .cardinality = 3};
        SCOPED_TRACE(fmt::format("{} vertices, {} per vertex", rig.vertices(), budget));
        const TwoLayerRig result = compress(rig, options, poses).value;
        options.bones_per_vertex = std::max(budget, 1 + 1 / double(rig.vertices()));
        expect_layers(result, options, 2);
      }
    }
  }
}

TEST(TwoLayerEdges, HugeBudgetsAreNoMoreThanEnough) {
  const Rig rig = smooth_rig(synthetic::arm({.vertices = 120, .frames = 4}));
  for (const double budget : {30.0, 1e6, 1e30, 1e300}) {
    const CompressOptions options{.bones_per_vertex = budget};
    const TwoLayerRig result = compress(rig, options).value;
    expect_layers(result, options, 4);
    EXPECT_LT(weight_error(rig.weights, result), 0.01) << budget;
    EXPECT_LE(result.virtual_bone_count(), rig.vertices());
    const CompressOptions paper{.bones_per_vertex = budget, .method = CompressMethod::paper};
    EXPECT_LT(weight_error(rig.weights, compress(rig, paper).value), 1) << budget;
    const Sequence poses = bake(rig);
    EXPECT_LT(compare(poses, compress(rig, options, &poses).value).e_rms, 0.1) << budget;
  }
}

/// A vertex hands on to its neighbours what it found: in a million steps, if these go one by one.
TEST(TwoLayerEdges, AMillionVerticesInARowDoNotOverflowTheStack) {
  constexpr std::uint32_t count = 1000000;
  Mesh mesh;
  mesh.positions.reserve(count);
  Matrix weights{count, 4, {}};
  for (std::uint32_t i = 0; i < count; ++i) {
    mesh.positions.push_back({float(i / 2), float(i % 2), 0});
    const float t = float(i / 2) / float(count / 2);
    const float a = t * t, b = (1 - t) * (1 - t);
    for (const float v : {a, b, t - a, 1 - t - b}) weights.values.push_back(v);
    if (i + 3 < count && i % 2 == 0) testing::add_face(mesh, {i, i + 1, i + 3, i + 2});
  }
  const CompressOptions options{.virtual_bones = 4, .method = CompressMethod::paper};
  const Result<TwoLayerRig> result = compress(weights, mesh, options);
  EXPECT_EQ(result.value.weights.rows(), count);
  EXPECT_LE(result.value.virtual_bone_count(), 4U);
  EXPECT_LE(testing::longest_row(result.value.weights), 2U);
}

}  // namespace
}  // namespace marrow
