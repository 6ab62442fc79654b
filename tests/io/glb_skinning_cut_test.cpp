// Files whose extension MARROW_skinning is cut while everything before it is whole, so that it is for the reader of the
// extension to notice.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "marrow/ddm.hpp"
#include "marrow/ddm_compression.hpp"
#include "marrow/error.hpp"
#include "marrow/io.hpp"
#include "marrow/motion_range.hpp"
#include "marrow/synthetic.hpp"
#include "marrow/two_layer.hpp"
#include "support/files.hpp"
#include "support/fuzz.hpp"
#include "support/glb_builder.hpp"

namespace marrow {
namespace {

using testing::GlbBuilder;

/// A written GLB, taken apart.
GlbBuilder taken_apart(const std::filesystem::path& file) {
  const std::string bytes = testing::read_bytes(file);
  std::uint32_t text = 0;
  std::memcpy(&text, bytes.data() + 12, 4);
  GlbBuilder glb;
  glb.json = nlohmann::json::parse(bytes.substr(20, text));
  glb.binary = bytes.substr(20 + text + 8);
  return glb;
}

/// The buffer views that only the extension uses.
std::vector<std::size_t> views_of_layers(const nlohmann::json& json) {
  std::vector<std::size_t> views;
  for (const auto& layer : json["extensions"]["MARROW_skinning"]["layers"]) {
    for (const char* key : {"centres", "counts", "bones", "values"}) {
      if (!layer.contains(key)) continue;
      views.push_back(json["accessors"][layer[key].get<std::size_t>()]["bufferView"].get<std::size_t>());
    }
  }
  return views;
}

void expect_refused(GlbBuilder& glb, const std::filesystem::path& file, const std::string& what) {
  testing::replace_file(file, glb.bytes());
  EXPECT_NO_THROW(read_rig(file)) << what << ": the plain skin is whole";
  try {
    read_model(file);
    ADD_FAILURE() << what << " was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_file) << what << ": " << error.what();
  }
}

void expect_cuts_are_refused(const Model& model) {
  const auto file = testing::output_folder() / "file.glb";
  write_glb(model, file);
  const GlbBuilder whole = taken_apart(file);
  const std::vector<std::size_t> views = views_of_layers(whole.json);
  ASSERT_GE(views.size(), 3u);
  // Each array ends early.
  std::size_t begin = whole.binary.size();
  for (const std::size_t view : views) {
    GlbBuilder glb = whole;
    nlohmann::json& json = glb.json["bufferViews"][view];
    begin = std::min(begin, json["byteOffset"].get<std::size_t>());
    for (std::size_t length = json["byteLength"].get<std::size_t>(); length-- > 0;) {
      json["byteLength"] = length;
      expect_refused(glb, file, fmt::format("view {} of {} bytes", view, length));
    }
  }
  // The file ends early. Its last bytes may be padding.
  for (std::size_t view = 0; view < whole.json["bufferViews"].size(); ++view) {
    const bool before = whole.json["bufferViews"][view]["byteOffset"].get<std::size_t>() < begin;
    ASSERT_NE(before, std::ranges::count(views, view) > 0) << "the layers are not at the end";
  }
  const nlohmann::json& last = whole.json["bufferViews"][std::ranges::max(views)];
  GlbBuilder glb = whole;
  glb.binary.resize(last["byteOffset"].get<std::size_t>() + last["byteLength"].get<std::size_t>());
  while (glb.binary.size() > begin) {
    glb.binary.pop_back();
    expect_refused(glb, file, fmt::format("{} bytes", glb.binary.size()));
  }
}

Rig few_vertices() {
  return synthetic::arm({.vertices = 20, .frames = 2});
}

TEST(GlbSkinningCut, DirectDeltaMushIsRefusedAtEveryLength) {
  expect_cuts_are_refused(make_ddm(few_vertices()).value);
}

TEST(GlbSkinningCut, TwoLayersAreRefusedAtEveryLength) {
  const Rig dense = dense_lbs(make_ddm(few_vertices(), {.prune = 0}).value);
  expect_cuts_are_refused(compress(dense, {.bones_per_vertex = 3, .effort = Effort::fast}).value);
}

TEST(GlbSkinningCut, CompressedDirectDeltaMushIsRefusedAtEveryLength) {
  const DdmRig ddm = make_ddm(few_vertices()).value;
  expect_cuts_are_refused(
      compress(ddm, {.virtual_bones = 5, .poses = 10, .iterations = 1}, default_ranges(ddm.rig.skeleton)).value);
}

}  // namespace
}  // namespace marrow
