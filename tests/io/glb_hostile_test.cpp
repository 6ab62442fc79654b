// Small files that ask for much, and large ones that are nothing: refused before memory is taken or work is done.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "core/memory.hpp"
#include "io/glb.hpp"
#include "marrow/error.hpp"
#include "marrow/synthetic.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/glb_builder.hpp"

namespace marrow {
namespace {

using testing::expect_error;
using testing::GlbBuilder;

/// A triangle for each of `joints` joints below `nodes` more nodes, all of which turn for `seconds`.
GlbBuilder turning_glb(std::size_t joints, std::size_t nodes, float seconds) {
  GlbBuilder glb;
  nlohmann::json& primitive = glb.json["meshes"][0]["primitives"][0];
  primitive["attributes"]["POSITION"] = glb.add_floats({0, 0, 0, 1, 0, 0, 0, 1, 0}, 3);
  primitive["attributes"]["JOINTS_0"] = glb.add_accessor<std::uint8_t>({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 4);
  primitive["attributes"]["WEIGHTS_0"] = glb.add_floats({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, 4);
  nlohmann::json& skin = glb.json["skins"][0];
  for (std::size_t n = 0; n < joints + nodes; ++n) {
    glb.add_node({{"name", std::to_string(n)}});
    if (n < joints) skin["joints"].push_back(n);
  }
  glb.add_channel(0, 0, "rotation", {0, seconds}, {0, 0, 0, 1, 0, 0, 1, 0});
  for (std::size_t n = 1; n < joints + nodes; ++n) {
    glb.json["animations"][0]["channels"].push_back({{"sampler", 0}, {"target", {{"node", n}, {"path", "rotation"}}}});
  }
  glb.add_node({{"mesh", 0}, {"skin", 0}});
  return glb;
}

double seconds_of(const std::function<void()>& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(GlbHostile, AMillionFramesInFourKilobytes) {
  GlbBuilder glb = turning_glb(12, 0, 33300);
  const auto file = glb.save();
  EXPECT_LT(std::filesystem::file_size(file), 4096u);
  expect_error(ErrorCode::bad_file, {"animations", "far more than a file of this size", "frame rate"},
               [&] { read_glb(file, {}, {}); });
  // With the frame rate that the message speaks of, it is read.
  EXPECT_NO_THROW(read_glb(file, {.fps = 0.1}, {}));
}

TEST(GlbHostile, ManyNodesInManyFrames) {
  const auto file = turning_glb(1, 700, 9000).save();
  EXPECT_LT(std::filesystem::file_size(file), 90'000u);
  // The sum of memory is small, the work is not.
  const double seconds = seconds_of([&] {
    expect_error(ErrorCode::bad_file, {"animations", "far more than a file of this size"},
                 [&] { read_glb(file, {}, {}); });
  });
  EXPECT_LT(seconds, 5) << "it was refused, but after the work";
}

TEST(GlbHostile, LargeFilesAreNotReadBeforeTheirHeader) {
  const auto folder = testing::output_folder();
  const auto zeros = folder / "zeros.glb", header = folder / "header.glb";
  testing::write_bytes(zeros, "");
  // A header that states little: what follows is never read.
  testing::write_bytes(header, std::string("glTF\x02\0\0\0\x20\0\0\0\x04\0\0\0JSONnull", 24));
  for (const auto& file : {zeros, header}) std::filesystem::resize_file(file, std::uintmax_t(8) << 30);
  expect_error(ErrorCode::bad_file, {"zeros.glb", "not a glTF file"}, [&] { read_glb(zeros, {}, {}); });
  expect_error(ErrorCode::bad_file, {"header.glb", "not a glTF file"}, [&] { read_glb(header, {}, {}); });
  for (const auto& file : {zeros, header}) std::filesystem::remove(file);
}

}  // namespace
}  // namespace marrow
