#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "io/glb.hpp"
#include "io/glb_reading.hpp"
#include "marrow/error.hpp"
#include "support/glb_builder.hpp"

// Containers, accessors and primitives.

namespace marrow {
namespace {

using testing::GlbBuilder;
using testing::read_as_sequence;
using testing::skinned_glb;
using testing::triangle_glb;

/// Five points on a zigzag.
GlbBuilder zigzag_glb(std::size_t mode) {
  GlbBuilder glb = triangle_glb();
  const std::size_t position = glb.add_floats({0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 2, 0, 0}, 3);
  glb.json["meshes"][0]["primitives"][0] = {{"attributes", {{"POSITION", position}}}, {"mode", mode}};
  return glb;
}

using Indices = std::vector<std::uint32_t>;

TEST(GlbMesh, StripsAndFansBecomeTriangles) {
  GlbBuilder strip = zigzag_glb(5), fan = zigzag_glb(6);
  EXPECT_EQ(read_as_sequence(strip).mesh.face_vertices, (Indices{0, 1, 2, 1, 3, 2, 2, 3, 4}));
  EXPECT_EQ(read_as_sequence(fan).mesh.face_vertices, (Indices{0, 1, 2, 0, 2, 3, 0, 3, 4}));
  // Triangles without area only join strips.
  const std::size_t joined = strip.add_accessor<std::uint8_t>({0, 1, 2, 2, 3, 4}, 1);
  strip.json["meshes"][0]["primitives"][0]["indices"] = joined;
  EXPECT_EQ(read_as_sequence(strip).mesh.face_vertices, (Indices{0, 1, 2, 2, 4, 3}));
}

TEST(GlbMesh, PointsAreACloudAndLinesArePassedOver) {
  GlbBuilder cloud = zigzag_glb(0);
  const Sequence s = read_as_sequence(cloud);
  EXPECT_EQ(s.vertices(), 5u);
  EXPECT_EQ(s.mesh.faces(), 0u);

  GlbBuilder mixed = triangle_glb();
  auto& primitives = mixed.json["meshes"][0]["primitives"];
  const std::size_t position = primitives[0]["attributes"]["POSITION"];
  for (const int mode : {0, 1, 2, 3}) primitives.push_back({{"attributes", {{"POSITION", position}}}, {"mode", mode}});
  EXPECT_EQ(read_as_sequence(mixed).vertices(), 3u);

  GlbBuilder lines = zigzag_glb(1);
  EXPECT_THROW(read_as_sequence(lines), Error);
}

TEST(GlbMesh, SparseAccessorsChangeSomeElements) {
  GlbBuilder glb = triangle_glb();
  const std::size_t indices = glb.add_view<std::uint16_t>({2, 1});
  const std::size_t values = glb.add_view<float>({7, 8, 9, 4, 5, 6});
  nlohmann::json& accessor = glb.json["accessors"][0];
  accessor["sparse"] = {{"count", 2},
                        {"indices", {{"bufferView", indices}, {"componentType", 5123}}},
                        {"values", {{"bufferView", values}}}};
  EXPECT_EQ(read_as_sequence(glb).mesh.positions, (std::vector<Vec3>{{0, 0, 0}, {4, 5, 6}, {7, 8, 9}}));
  // Without a view the others are zero.
  accessor.erase("bufferView");
  accessor["sparse"]["count"] = 1;
  EXPECT_EQ(read_as_sequence(glb).mesh.positions, (std::vector<Vec3>{{0, 0, 0}, {0, 0, 0}, {7, 8, 9}}));
}

TEST(GlbMesh, QuantisedAndInterleavedPositions) {
  GlbBuilder glb = triangle_glb();
  glb.json["extensionsRequired"] = {"KHR_mesh_quantization", "KHR_texture_transform", "KHR_materials_unlit"};
  // The fourth number of each row is padding.
  glb.json["bufferViews"][glb.add_view<std::int16_t>({0, 0, 0, 9, 32767, 0, 0, 9, 0, -32768, 0, 9})]["byteStride"] = 8;
  glb.json["accessors"][0] = {
      {"bufferView", 1}, {"componentType", 5122}, {"count", 3}, {"type", "VEC3"}, {"normalized", true}};
  EXPECT_EQ(read_as_sequence(glb).mesh.positions, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, -1, 0}}));
  glb.json["accessors"][0]["normalized"] = false;
  EXPECT_EQ(read_as_sequence(glb).mesh.positions[2], (Vec3{0, -32768, 0}));
}

TEST(GlbMesh, TextureCoordinatesCountFromBelow) {
  GlbBuilder glb = triangle_glb();
  const std::size_t uv = glb.add_floats({0, 0, 1, 0.25f, 0, 1}, 2);
  const std::size_t normal = glb.add_floats({0, 0, 1, 0, 0, 1, 0, 0, 1}, 3);
  auto& primitives = glb.json["meshes"][0]["primitives"];
  primitives[0]["attributes"]["TEXCOORD_0"] = uv;
  primitives[0]["attributes"]["NORMAL"] = normal;
  const Mesh mesh = read_as_sequence(glb).mesh;
  EXPECT_EQ(mesh.uvs, (std::vector<Vec2>{{0, 1}, {1, 0.75f}, {0, 0}}));
  EXPECT_EQ(mesh.corner_uvs, (Indices{0, 1, 2}));
  EXPECT_EQ(mesh.normals[2], (Vec3{0, 0, 1}));
  EXPECT_EQ(mesh.corner_normals, (Indices{0, 1, 2}));

  // Kept only where every primitive has them.
  const std::size_t position = glb.add_floats({5, 0, 0, 6, 0, 0, 5, 1, 0}, 3);
  primitives.push_back({{"attributes", {{"POSITION", position}, {"NORMAL", normal}}}});
  const Mesh two = read_as_sequence(glb).mesh;
  EXPECT_EQ(two.vertices(), 6u);
  EXPECT_EQ(two.face_vertices, (Indices{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(two.uvs.empty() && two.corner_uvs.empty());
  EXPECT_EQ(two.corner_normals, two.face_vertices);
}

TEST(GlbMesh, PrimitivesWithTheSameAttributesShareVertices) {
  GlbBuilder glb = zigzag_glb(4);
  auto& primitives = glb.json["meshes"][0]["primitives"];
  primitives.push_back(primitives[0]);
  primitives[0]["indices"] = glb.add_accessor<std::uint32_t>({0, 1, 2}, 1);
  primitives[1]["indices"] = glb.add_accessor<std::uint8_t>({2, 3, 4}, 1);
  const Mesh mesh = read_as_sequence(glb).mesh;
  EXPECT_EQ(mesh.vertices(), 5u);
  EXPECT_EQ(mesh.face_vertices, (Indices{0, 1, 2, 2, 3, 4}));
}

TEST(GlbMesh, SeamCopiesAreFoldedBack) {
  GlbBuilder glb = skinned_glb();
  // Vertices 4 and 5 are copies of 1 and 0 for the sake of their texture coordinates.
  const std::size_t uv = glb.add_floats({0, 0, 0, .1f, 0, .2f, 0, .3f, 0, .4f, 0, .5f}, 2);
  glb.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = uv;
  glb.json["meshes"][0]["extras"] = {{"marrow", {{"source_vertices", {1, 0}}}}};
  glb.add_node({{"mesh", 0}, {"skin", 0}});
  const Rig rig = read_rig(glb.save());
  validate(rig);
  EXPECT_EQ(rig.vertices(), 8u);
  EXPECT_EQ(rig.mesh.uvs.size(), 12u);
  const Indices once{0, 1, 3, 0, 3, 2, 2, 3, 0, 2, 0, 1}, corners{0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4};
  for (std::size_t c = 0; c < 12; ++c) {
    EXPECT_EQ(rig.mesh.face_vertices[c], once[c]);
    EXPECT_EQ(rig.mesh.corner_uvs[c], corners[c]);
    EXPECT_EQ(rig.mesh.face_vertices[c + 12], once[c] + 4);
    EXPECT_EQ(rig.mesh.corner_uvs[c + 12], corners[c] + 6);
  }
  EXPECT_EQ(rig.weights.row_values(3)[0], 0.5f);

  glb.json["meshes"][0]["extras"]["marrow"]["source_vertices"] = {1, 4};
  EXPECT_THROW(read_rig(glb.save()), Error);
}

TEST(GlbMesh, MirroredNodesKeepTheirFacesOutside) {
  GlbBuilder glb = triangle_glb();
  glb.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = glb.add_floats({0, 0, 1, 0, 0, 1, 0, .6f, .8f}, 3);
  glb.json["nodes"][0]["scale"] = {-1, 2, 1};
  const Mesh mesh = read_as_sequence(glb).mesh;
  EXPECT_EQ(mesh.positions[1], (Vec3{-1, 0, 0}));
  EXPECT_EQ(mesh.face_vertices, (Indices{0, 2, 1}));
  EXPECT_EQ(mesh.normals[0], (Vec3{0, 0, 1}));
  // The inverse transpose: (0, 0.3, 0.8), made unit.
  EXPECT_NEAR(mesh.normals[2].y, 0.3 / std::sqrt(0.73), 1e-6);
}

TEST(GlbMesh, ShowsTheNamedSceneElseTheFirstElseAllRoots) {
  GlbBuilder glb = triangle_glb();
  glb.add("nodes", {{"mesh", 0}, {"translation", {5, 0, 0}}});
  glb.add("scenes", {{"nodes", {1}}});
  EXPECT_EQ(read_as_sequence(glb).mesh.positions[0].x, 0);
  glb.json["scene"] = 1;
  EXPECT_EQ(read_as_sequence(glb).mesh.positions[0].x, 5);
  glb.json.erase("scene");
  EXPECT_EQ(read_as_sequence(glb).vertices(), 3u);
  glb.json.erase("scenes");
  EXPECT_EQ(read_as_sequence(glb).vertices(), 6u);
}

TEST(GlbMesh, TheTextMayBePaddedWithZeros) {
  GlbBuilder glb = triangle_glb();
  glb.bytes();
  const auto file = testing::output_folder() / "file.glb";
  testing::write_bytes(file, GlbBuilder::pack(glb.json.dump() + std::string(4, '\0'), glb.binary));
  EXPECT_EQ(std::get<Sequence>(read_glb(file, {}, {})).vertices(), 3u);
}

TEST(GlbMesh, ReadsTextFilesWithEmbeddedOrSeparateBuffers) {
  GlbBuilder glb = triangle_glb();
  glb.bytes();
  const auto folder = testing::output_folder();
  testing::write_bytes(folder / "my data.bin", glb.binary);
  glb.json["buffers"][0]["uri"] = "my%20data.bin";
  testing::write_bytes(folder / "separate.gltf", glb.json.dump(2));
  // 36 bytes: (0 0 0), (1 0 0), (0 1 0) as floats.
  glb.json["buffers"][0]["uri"] =
      "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
  testing::write_bytes(folder / "embedded.gltf", glb.json.dump());
  for (const char* name : {"separate.gltf", "embedded.gltf"}) {
    const auto s = std::get<Sequence>(read_glb(folder / name, {}, {}));
    EXPECT_EQ(s.mesh.positions, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}})) << name;
  }
  for (const char* uri : {"missing.bin", "/etc/hostname", "https://example.org/x.bin", "data:,plain"}) {
    glb.json["buffers"][0]["uri"] = uri;
    testing::write_bytes(folder / "bad.gltf", glb.json.dump());
    EXPECT_THROW(read_glb(folder / "bad.gltf", {}, {}), Error) << uri;
  }
}

}  // namespace
}  // namespace marrow
