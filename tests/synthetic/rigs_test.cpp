#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "marrow/error.hpp"
#include "marrow/synthetic.hpp"
#include "support/surface.hpp"

namespace marrow {
namespace {

using synthetic::Options;

struct Family {
  const char* name;
  std::function<Rig(const Options&)> make;
  std::size_t bones;
  bool one_piece;
  bool random;
};

void PrintTo(const Family& family, std::ostream* out) {
  *out << family.name;
}

const Family bar{"bar", synthetic::bar, 2, true, false};
const Family arm{"arm", synthetic::arm, 6, true, false};
const Family quadruped{"quadruped", synthetic::quadruped, 20, true, false};
const Family poses{"poses", synthetic::poses, 20, true, true};
const Family shells{"shells", [](const Options& options) { return synthetic::shells(options); }, 12, false, true};

void expect_weights_of_few_bones_that_sum_to_one(const Rig& rig) {
  EXPECT_LE(rig.weights.max_influences(), 4u);
  for (std::size_t i = 0; i < rig.vertices(); ++i) {
    double sum = 0;
    for (const float w : rig.weights.row_values(i)) {
      sum += w;
      ASSERT_GE(w, 0.999e-3f);
    }
    ASSERT_EQ(sum, 1) << "vertex " << i;
  }
}

class SyntheticRigOfSize : public ::testing::TestWithParam<std::tuple<Family, std::size_t>> {};

TEST_P(SyntheticRigOfSize, IsWholeAndAsLargeAsAsked) {
  const auto& [family, vertices] = GetParam();
  const Rig rig = family.make({.vertices = vertices, .frames = 3});
  validate(rig);
  EXPECT_EQ(rig.bones(), family.bones);
  EXPECT_EQ(rig.frames(), 3u);
  EXPECT_GE(rig.vertices(), 20u);
  const auto asked = double(vertices);
  EXPECT_NEAR(double(rig.vertices()), asked, (vertices < 500 ? 0.4 : 0.1) * asked);

  EXPECT_TRUE(testing::is_closed(rig.mesh));
  EXPECT_GT(testing::volume(rig.mesh, rig.mesh.positions), 0.01);
  if (family.one_piece) {
    EXPECT_EQ(count_shells(rig.mesh), 1u);
    EXPECT_EQ(testing::euler(rig.mesh), 2);
  }
  expect_weights_of_few_bones_that_sum_to_one(rig);
  const std::set<std::uint32_t> used(rig.weights.bones.begin(), rig.weights.bones.end());
  EXPECT_EQ(used.size(), rig.bones());
}

std::string name_with_size(const ::testing::TestParamInfo<std::tuple<Family, std::size_t>>& test) {
  return std::get<0>(test.param).name + std::string("_") + std::to_string(std::get<1>(test.param));
}

INSTANTIATE_TEST_SUITE_P(Bodies, SyntheticRigOfSize,
                         ::testing::Combine(::testing::Values(arm, quadruped), ::testing::Values(100, 500, 2000, 9000)),
                         name_with_size);
INSTANTIATE_TEST_SUITE_P(Solids, SyntheticRigOfSize,
                         ::testing::Combine(::testing::Values(bar, shells), ::testing::Values(100, 500, 2000, 50'000)),
                         name_with_size);

class SyntheticRig : public ::testing::TestWithParam<Family> {};

TEST_P(SyntheticRig, BonesMoveRigidlyAboutTheirJoints) {
  const Rig rig = GetParam().make({.vertices = 100, .frames = 24});
  for (std::size_t t = 0; t < rig.frames(); ++t) {
    const auto pose = rig.motion.frame(t);
    for (std::size_t j = 0; j < rig.bones(); ++j) {
      EXPECT_LT(orthonormality_defect(pose[j]), 1e-12);
      EXPECT_NEAR(determinant(pose[j]), 1, 1e-12);
      const std::int32_t parent = rig.skeleton.parents[j];
      if (parent < 0) continue;
      const std::array<double, 3> joint{rig.skeleton.bind[j](0, 3), rig.skeleton.bind[j](1, 3),
                                        rig.skeleton.bind[j](2, 3)};
      const auto own = transform(pose[j], joint), carried = transform(pose[std::size_t(parent)], joint);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(own[k], carried[k], 1e-12);
    }
  }
}

TEST_P(SyntheticRig, SameSeedSameRig) {
  const Options options{.vertices = 100, .frames = 3, .seed = 7};
  const Rig first = GetParam().make(options);
  EXPECT_EQ(GetParam().make(options), first);
  const Rig other = GetParam().make({.vertices = 100, .frames = 3, .seed = 8});
  EXPECT_EQ(other.motion != first.motion, GetParam().random);
}

TEST_P(SyntheticRig, RefusesBadOptions) {
  const std::pair<Options, const char*> bad[] = {{{.vertices = 19}, "vertices"},
                                                 {{.vertices = (std::size_t(1) << 31) + 1}, "vertices"},
                                                 {{.frames = 1}, "frames"},
                                                 {{.noise = -0.1}, "noise"},
                                                 {{.noise = std::nan("")}, "noise"}};
  for (const auto& [options, field] : bad) {
    try {
      GetParam().make(options);
      ADD_FAILURE() << "was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_request);
      EXPECT_EQ(error.where(), field);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SyntheticRig, ::testing::Values(bar, arm, quadruped, poses, shells),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(SyntheticRigs, FewestVertices) {
  for (const Family& family : {bar, arm, quadruped}) {
    const Rig rig = family.make({.vertices = 20, .frames = 2});
    validate(rig);
    EXPECT_GE(rig.vertices(), 20u) << family.name;
    EXPECT_EQ(count_shells(rig.mesh), 1u) << family.name;
    EXPECT_TRUE(testing::is_closed(rig.mesh)) << family.name;
  }
}

/// Angle of a rotation, degrees.
double angle(const Affine& a) {
  return std::acos(std::clamp((a(0, 0) + a(1, 1) + a(2, 2) - 1) / 2, -1.0, 1.0)) * 180 / std::numbers::pi;
}

TEST(SyntheticBar, BendsByNinetyAndTwistsByHalfATurn) {
  const Rig rig = synthetic::bar({.vertices = 200, .frames = 60});
  EXPECT_NEAR(angle(rig.motion.frame(15)[1]), 90, 1e-6);
  EXPECT_NEAR(angle(rig.motion.frame(45)[1]), 180, 1e-3);
  EXPECT_NEAR(rig.motion.frame(15)[1](2, 2), 1, 1e-12) << "bends about z";
  EXPECT_NEAR(rig.motion.frame(45)[1](0, 0), 1, 1e-12) << "twists about x";
  for (std::size_t t = 0; t < 60; ++t) EXPECT_EQ(angle(rig.motion.frame(t)[0]), 0);
}

TEST(SyntheticBar, HasATextureSeam) {
  const Rig rig = synthetic::bar({.vertices = 500, .frames = 2});
  const Mesh& mesh = rig.mesh;
  EXPECT_GT(mesh.uvs.size(), mesh.vertices());
  // On the seam a vertex has u = 0 in some faces and u = 1 in others.
  std::vector<std::set<float>> u_of_vertex(mesh.vertices());
  for (std::size_t c = 0; c < mesh.face_vertices.size(); ++c) {
    u_of_vertex[mesh.face_vertices[c]].insert(mesh.uvs[mesh.corner_uvs[c]].x);
  }
  const auto seam = std::ranges::count(u_of_vertex, std::set<float>{0, 1});
  const auto plain = std::ranges::count_if(u_of_vertex, [](const auto& us) { return us.size() == 1; });
  EXPECT_GT(seam, 10);
  EXPECT_EQ(std::size_t(seam + plain) + 2, mesh.vertices()) << "all but the two poles";
}

TEST(SyntheticShells, PiecesAreApartAndFollowOneBoneEach) {
  for (const std::size_t pieces : {1u, 5u, 40u}) {
    const Rig rig = synthetic::shells({.vertices = 1000, .frames = 3}, pieces);
    validate(rig);
    EXPECT_EQ(rig.bones(), pieces);
    EXPECT_EQ(count_shells(rig.mesh), pieces);
    EXPECT_EQ(rig.weights.max_influences(), 1u);
    EXPECT_NEAR(double(rig.vertices()), 1000, 100);
    for (const auto& [a, b] : edges(rig.mesh)) EXPECT_EQ(rig.weights.bones[a], rig.weights.bones[b]);
  }
}

TEST(SyntheticShells, RefusesTooManyPieces) {
  const Options options{.vertices = 100};
  EXPECT_NO_THROW(synthetic::shells(options, 12));
  EXPECT_THROW(synthetic::shells(options, 13), Error);
  EXPECT_THROW(synthetic::shells(options, 0), Error);
}

}  // namespace
}  // namespace marrow
