// GLB from and to memory.
#include <gtest/gtest.h>

#include <cstring>

#include "marrow/ddm.hpp"
#include "marrow/deform.hpp"
#include "marrow/io.hpp"
#include "marrow/synthetic.hpp"
#include "marrow/two_layer.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/glb_builder.hpp"

namespace marrow {
namespace {

using testing::expect_error;

std::vector<std::byte> bytes_of(const std::filesystem::path& file) {
  const std::string text = testing::read_bytes(file);
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

TEST(GlbMemory, IsTheFileToTheByte) {
  const auto file = testing::output_folder() / "x.glb";
  const Rig rig = synthetic::quadruped({.vertices = 300, .frames = 6});
  write_glb(rig, file);
  EXPECT_EQ(to_glb(rig), bytes_of(file));
  write_glb(rig, file, {.normals = false});
  EXPECT_EQ(to_glb(rig, {.normals = false}), bytes_of(file));
  const TwoLayerRig layers = compress(rig, {.effort = Effort::fast}).value;
  for (const bool floats : {false, true}) {
    for (const Model& model : {Model(layers), Model(make_ddm(rig).value)}) {
      write_glb(model, file, {.float_layers = floats});
      EXPECT_EQ(to_glb(model, {.float_layers = floats}), bytes_of(file));
    }
  }
}

TEST(GlbMemory, IsReadAsTheFile) {
  const auto file = testing::output_folder() / "x.glb";
  const Rig rig = synthetic::quadruped({.vertices = 300, .frames = 6});
  const Model model = make_ddm(rig).value;
  write_glb(model, file);
  const std::vector<std::byte> glb = to_glb(model);
  const ReadOptions options{.fps = 12, .up = 'z', .unit = 0.01};
  EXPECT_EQ(read_rig(glb), read_rig(file));
  EXPECT_EQ(read_rig(glb, options), read_rig(file, options));
  EXPECT_EQ(std::get<Rig>(read(glb)), read_rig(file));
  EXPECT_EQ(read_sequence(glb).positions, read_sequence({file.string()}).positions);
  EXPECT_EQ(std::get<DdmRig>(read_model(glb)), std::get<DdmRig>(read_model(file)));
}

TEST(GlbMemory, RefusesWhatIsNotInIt) {
  const Rig rig = synthetic::arm({.vertices = 60, .frames = 3});
  const std::vector<std::byte> glb = to_glb(rig);
  const auto start = std::span<const std::byte>(glb).first(glb.size() / 2);
  expect_error(ErrorCode::bad_file, {"GLB in memory", "past the stated length"}, [&] { read_rig(start); });
  expect_error(ErrorCode::bad_file, {"GLB in memory"}, [&] { read(std::span<const std::byte>{}); });
  expect_error(ErrorCode::bad_file, {"GLB in memory", "no model"}, [&] { read_model(glb); });
  expect_error(ErrorCode::bad_request, {"rest"}, [&] { read_rig(glb, {.rest = "a.obj"}); });
  const std::string text = R"({"asset": {"version": "2.0"}, "buffers": [{"uri": "b.bin", "byteLength": 4}]})";
  expect_error(ErrorCode::bad_file, {"GLB in memory", "buffers[0]", "b.bin", "from its file"},
               [&] { read(std::as_bytes(std::span(text))); });
  Rig empty;
  expect_error(ErrorCode::bad_input, {"Weights"}, [&] { to_glb(empty); });
}

}  // namespace
}  // namespace marrow
