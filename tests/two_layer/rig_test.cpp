// What layers do to a mesh, against plain skinning with the weights that they stand for.
#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "two_layer/layers.hpp"

namespace marrow {
namespace {

using testing::blended_rows;
using testing::expect_error;
using testing::Rows;

TwoLayerRig small_layers(bool any_sign = false) {
  const Rig rig = testing::smooth_rig(synthetic::arm({.vertices = 200, .frames = 8}));
  return compress(rig, {.bones_per_vertex = 4, .any_sign = any_sign, .effort = Effort::fast}).value;
}

void expect_near(std::span<const Vec3> a, std::span<const Vec3> b, double size) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_LT(std::hypot(a[i].x - b[i].x, a[i].y - b[i].y, a[i].z - b[i].z), 2e-6 * size) << "vertex " << i;
  }
}

TEST(TwoLayerRig, DeformsAsTheBlendedWeightsDo) {
  for (const bool any_sign : {false, true}) {
    const TwoLayerRig layers = small_layers(any_sign);
    const Rows weights = blended_rows(layers);
    const double size = size_of(layers.rig.mesh.positions);
    const Sequence baked = bake(layers);
    std::vector<Vec3> positions(layers.rig.vertices()), expected(layers.rig.vertices());
    for (std::size_t t = 0; t < layers.rig.frames(); ++t) {
      const auto pose = layers.rig.motion.frame(t);
      deform(layers, pose, positions);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const Vec3& u = layers.rig.mesh.positions[i];
        std::array<double, 3> sum{};
        for (std::size_t j = 0; j < pose.size(); ++j) {
          const auto p = transform(pose[j], std::array<double, 3>{u.x, u.y, u.z});
          for (std::size_t q = 0; q < 3; ++q) sum[q] += weights[i][j] * p[q];
        }
        expected[i] = {float(sum[0]), float(sum[1]), float(sum[2])};
      }
      expect_near(positions, expected, size);
      EXPECT_TRUE(std::ranges::equal(baked.frame(t), positions));
    }
    EXPECT_EQ(compare(baked, layers).e_rms, 0);
  }
}

TEST(TwoLayerRig, PlainRigsOfVirtualBonesPlayTheSame) {
  const TwoLayerRig layers = small_layers();
  const Rig plain = bake_virtual_bones(layers);
  validate(plain);
  EXPECT_EQ(plain.bones(), layers.virtual_bone_count());
  EXPECT_EQ(plain.mesh, layers.rig.mesh);
  EXPECT_EQ(plain.motion.timeline, layers.rig.motion.timeline);
  const Sequence a = bake(layers), b = bake(plain);
  for (std::size_t t = 0; t < a.frames(); ++t) expect_near(a.frame(t), b.frame(t), size_of(a.mesh.positions));
  expect_error(ErrorCode::bad_input, {"negative"}, [] { bake_virtual_bones(small_layers(true)); });
}

TEST(TwoLayerRig, VirtualBonesAreBlendsOfTransforms) {
  const TwoLayerRig layers = small_layers();
  const auto pose = layers.rig.motion.frame(3);
  std::vector<Affine> found(layers.virtual_bone_count());
  virtual_transforms(layers, pose, found);
  for (std::size_t k = 0; k < found.size(); ++k) {
    for (std::size_t q = 0; q < 12; ++q) {
      double expected = 0;
      for (std::size_t e = layers.virtual_bones.offsets[k]; e < layers.virtual_bones.offsets[k + 1]; ++e) {
        expected += double(layers.virtual_bones.values[e]) * pose[layers.virtual_bones.sources[e]].m[q];
      }
      EXPECT_NEAR(found[k].m[q], expected, 1e-12);
    }
  }
  std::vector<Affine> few(2);
  std::vector<Vec3> places(3);
  expect_error(ErrorCode::bad_input, {"virtual pose", "2"}, [&] { virtual_transforms(layers, pose, few); });
  expect_error(ErrorCode::bad_input, {"pose", "2"}, [&] { virtual_transforms(layers, few, found); });
  expect_error(ErrorCode::bad_input, {"positions", "3"}, [&] { deform(layers, pose, places); });
}

TEST(TwoLayerRig, ErrorAndSizesAreWhatTheySay) {
  const Rig rig = testing::smooth_rig(synthetic::arm({.vertices = 200, .frames = 8}));
  const TwoLayerRig layers = small_layers(), any = small_layers(true);
  const double expected = testing::delta_w(testing::dense_rows(rig.weights, rig.bones()), blended_rows(layers));
  EXPECT_GT(expected, 0.1);
  EXPECT_NEAR(weight_error(rig.weights, layers), expected, 1e-9 * expected);
  const auto values = [](const TwoLayerRig& r) { return r.virtual_bones.values.size() + r.weights.values.size(); };
  EXPECT_EQ(layers.vertices(), layers.rig.vertices());
  EXPECT_EQ(layers.bones(), layers.rig.bones());
  EXPECT_DOUBLE_EQ(layers.bones_per_vertex(), double(values(layers)) / 200.0 * 200.0 / double(rig.vertices()));
  // A byte for an index and for the length of a row; the largest value of a row is left out.
  const auto rows = [&](const TwoLayerRig& r) { return rig.vertices() + r.virtual_bone_count(); };
  EXPECT_EQ(storage(layers), (1 + 2) * values(layers) + rows(layers) - 2 * rows(layers));
  EXPECT_FALSE(is_convex(any.weights) && is_convex(any.virtual_bones));
  std::size_t expected_bytes = 0;
  for (const Blends& layer : {any.virtual_bones, any.weights}) {
    const std::size_t value = is_convex(layer) ? 2 : 4;
    expected_bytes += (1 + value) * layer.values.size() + layer.rows() - value * layer.rows();
  }
  EXPECT_EQ(storage(any), expected_bytes);
  // More virtual bones than 16 bits can tell apart.
  TwoLayerRig many = layers;
  many.virtual_bones = many.weights = {{0}, {}, {}};
  for (std::uint32_t k = 0; k < 70000; ++k) {
    for (Blends* layer : {&many.virtual_bones, &many.weights}) {
      layer->sources.push_back(layer == &many.weights ? k : 0);
      layer->values.push_back(1);
      layer->offsets.push_back(k + 1);
    }
  }
  EXPECT_EQ(storage(many), 70000U * ((1 + 1) + (1 + 4)));
  EXPECT_EQ(TwoLayerRig{}.bones_per_vertex(), 0);
  Weights fewer = rig.weights;
  fewer.offsets.pop_back();
  expect_error(ErrorCode::bad_input, {"weights"}, [&] { weight_error(fewer, layers); });
}

TEST(TwoLayerRig, BrokenLayersAreRefused) {
  const TwoLayerRig good = small_layers();
  validate(good);
  const auto refused = [&](std::initializer_list<std::string> parts, auto&& damage) {
    TwoLayerRig bad = good;
    damage(bad);
    expect_error(ErrorCode::bad_input, parts, [&] { validate(bad); });
  };
  refused({"do not fit"}, [](TwoLayerRig& r) { r.weights.values.pop_back(); });
  refused({"do not fit"}, [](TwoLayerRig& r) { r.virtual_bones.offsets.clear(); });
  refused({"row 0", "no source"}, [](TwoLayerRig& r) { r.weights.sources[0] = 100000; });
  refused({"row 0", "sums to"}, [](TwoLayerRig& r) { r.weights.values[0] += 0.5F; });
  refused({"row 0", "finite"}, [](TwoLayerRig& r) { r.virtual_bones.values[0] = NAN; });
  refused({"row 0", "not 0"}, [](TwoLayerRig& r) { r.virtual_bones.values[0] = 0; });
  refused({"at least one"}, [](TwoLayerRig& r) { r.weights.offsets[2] = r.weights.offsets[1]; });
  refused({"rows for"}, [](TwoLayerRig& r) {
    r.weights.offsets.pop_back();
    r.weights.sources.resize(r.weights.offsets.back());
    r.weights.values.resize(r.weights.offsets.back());
  });
  Blends twice{{0, 2}, {1, 1}, {0.5F, 0.5F}};
  expect_error(ErrorCode::bad_input, {"ascend"}, [&] { validate(twice, 3); });
}

}  // namespace
}  // namespace marrow
