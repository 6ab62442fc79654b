// The extension MARROW_skinning: what is written is read again, other readers still see the plain skin, and no bytes do
// harm.
#include <gtest/gtest.h>

#include <algorithm>

#include "io/glb.hpp"
#include "marrow/ddm.hpp"
#include "marrow/ddm_compression.hpp"
#include "marrow/deform.hpp"
#include "marrow/io.hpp"
#include "marrow/metrics.hpp"
#include "marrow/motion_range.hpp"
#include "marrow/synthetic.hpp"
#include "marrow/two_layer.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/fuzz.hpp"
#include "support/fuzz_glb.hpp"
#include "support/glb_builder.hpp"
#include "support/independent_glb.hpp"
#include "support/quality.hpp"

namespace marrow {
namespace {

using testing::expect_error;

DdmRig small() {
  return make_ddm(synthetic::arm({.vertices = 60, .frames = 3})).value;
}

TwoLayerRig small_layers(bool any_sign = false) {
  const Rig dense = dense_lbs(make_ddm(synthetic::arm({.vertices = 90, .frames = 3}), {.prune = 0}).value);
  return compress(dense, {.bones_per_vertex = 3, .any_sign = any_sign, .effort = Effort::fast}).value;
}

CompressedDdm small_compressed() {
  const DdmRig ddm = small();
  return compress(ddm, {.virtual_bones = 12, .poses = 10, .iterations = 2}, default_ranges(ddm.rig.skeleton)).value;
}

/// The JSON of a GLB that write_glb wrote, changed, and put back.
template <class Change>
std::string changed(const std::string& bytes, Change&& change) {
  std::uint32_t json_bytes = 0;
  std::memcpy(&json_bytes, bytes.data() + 12, 4);
  auto json = nlohmann::json::parse(bytes.substr(20, json_bytes));
  change(json);
  return testing::GlbBuilder::pack(json.dump(), bytes.substr(20 + json_bytes + 8));
}

// The validator looks at what GlbWrite* leaves behind.
TEST(GlbWriteSkinning, RoundTrip) {
  const auto folder = testing::output_folder();
  int number = 0;
  for (const Rig& rig : {synthetic::bar({.vertices = 300, .frames = 4}), synthetic::quadruped({.vertices = 500}),
                         synthetic::shells({.vertices = 200, .frames = 3})}) {
    const DdmRig ddm = make_ddm(rig).value;
    const auto file = folder / fmt::format("{}.glb", ++number);
    write_glb(ddm, file);
    EXPECT_TRUE(has_model(file));
    const DdmRig back = std::get<DdmRig>(read_model(file));
    EXPECT_EQ(back.multi_weights, ddm.multi_weights);
    EXPECT_EQ(back.centres, ddm.centres);
    EXPECT_EQ(back.rig.mesh.positions, rig.mesh.positions);
    EXPECT_EQ(back.rig.skeleton.names, rig.skeleton.names);
    const Sequence before = bake(ddm), after = bake(back);
    EXPECT_LT(compare(before, after).error.max, 1e-5 * size_of(rig.mesh.positions));
    // Read as a plain rig, it is one.
    EXPECT_EQ(read_rig(file), back.rig);
  }
}

TEST(GlbWriteSkinning, TwoLayersRoundTrip) {
  const auto folder = testing::output_folder();
  const TwoLayerRig rig = small_layers();
  ASSERT_TRUE(is_convex(rig.virtual_bones) && is_convex(rig.weights));
  write_glb(rig, folder / "small.glb");
  EXPECT_TRUE(has_model(folder / "small.glb"));
  const auto back = std::get<TwoLayerRig>(read_model(folder / "small.glb"));
  // Two bytes a value: what is read is what quantised() says, and next to what was there.
  const TwoLayerRig expected = quantised(rig);
  EXPECT_EQ(back.virtual_bones, expected.virtual_bones);
  EXPECT_EQ(back.weights, expected.weights);
  EXPECT_LT(compare(bake(rig), back).e_rms, 0.05);
  EXPECT_EQ(read_rig(folder / "small.glb"), back.rig);

  write_glb(rig, folder / "exact.glb", {.float_layers = true});
  const auto exact = std::get<TwoLayerRig>(read_model(folder / "exact.glb"));
  EXPECT_EQ(exact.virtual_bones, rig.virtual_bones);
  EXPECT_EQ(exact.weights, rig.weights);
}

TEST(GlbWriteSkinning, CompressedDdmRoundTrip) {
  const auto file = testing::output_folder() / "compressed.glb";
  const CompressedDdm model = small_compressed();
  write_glb(model, file);
  const auto back = std::get<CompressedDdm>(read_model(file));
  EXPECT_EQ(back.virtual_bones, model.virtual_bones);
  EXPECT_EQ(back.centres, model.centres);
  EXPECT_EQ(back.weights, model.weights);
  EXPECT_LT(compare(bake(model), back).error.max, 1e-5 * size_of(model.rig.mesh.positions));
}

/// storage() is what the extension's arrays take in the file.
TEST(GlbWriteSkinning, TakesAsManyBytesAsStorageSays) {
  const auto file = testing::output_folder() / "model.glb";
  for (const Model& model :
       {Model(small()), Model(quantised(small_layers())), Model(small_layers(true)), Model(small_compressed())}) {
    write_glb(model, file);
    const testing::IndependentGlb glb(file);
    const nlohmann::json& document = glb.document();
    std::size_t bytes = 0;
    for (const auto& layer : document["extensions"]["MARROW_skinning"]["layers"]) {
      for (const char* key : {"centres", "counts", "bones", "values"}) {
        if (!layer.contains(key)) continue;
        const auto& accessor = document["accessors"][layer[key].get<std::size_t>()];
        bytes += document["bufferViews"][accessor["bufferView"].get<std::size_t>()]["byteLength"].get<std::size_t>();
      }
    }
    EXPECT_EQ(bytes, storage(model)) << model.index();
  }
}

/// Rows that sum to 1 only nearly are read with the difference in their largest value, whatever the others are.
TEST(GlbWriteSkinning, RowsAreClosed) {
  const auto file = testing::output_folder() / "rows.glb";
  TwoLayerRig rig = small_layers();
  rig.weights = {{0}, {}, {}};
  for (std::size_t i = 0; i < rig.rig.vertices(); ++i) {
    rig.weights.sources.insert(rig.weights.sources.end(), {0, 1, 2});
    rig.weights.values.insert(rig.weights.values.end(), {0.25F, 0.75005F, 1e-9F});
    rig.weights.offsets.push_back(std::uint32_t(rig.weights.sources.size()));
  }
  write_glb(rig, file, {.float_layers = true});
  const Blends back = std::get<TwoLayerRig>(read_model(file)).weights;
  EXPECT_EQ(back.sources, rig.weights.sources);
  EXPECT_EQ(back.values[0], 0.25F);
  EXPECT_EQ(back.values[1], 0.75F);
  EXPECT_EQ(back.values[2], 1e-9F);
}

/// Every `step`-th frame of every clip, played by someone else.
void expect_played(const std::filesystem::path& file, const Rig& baked, const Sequence& model, std::size_t step) {
  write_glb(baked, file);
  const testing::IndependentGlb glb(file);
  const double allowed = 1e-4 * size_of(model.mesh.positions);
  const std::vector<Clip>& clips = model.timeline.clips;
  ASSERT_FALSE(clips.empty());
  for (std::size_t c = 0; c < clips.size(); ++c) {
    for (std::size_t t = clips[c].first; t < clips[c].first + clips[c].count; t += step) {
      const auto seen = glb.play(c, model.timeline.times[t] - model.timeline.times[clips[c].first]);
      ASSERT_EQ(seen.size(), model.vertices());
      double worst = 0;
      for (std::size_t i = 0; i < seen.size(); ++i) {
        const Vec3& p = model.frame(t)[i];
        worst = std::max({worst, std::abs(seen[i][0] - p.x), std::abs(seen[i][1] - p.y), std::abs(seen[i][2] - p.z)});
      }
      EXPECT_LT(worst, allowed) << clips[c].name << ", frame " << t;
    }
  }
}

/// Compressed models as plain skins.
TEST(GlbWriteSkinning, BakedVirtualBonesPlayAnywhere) {
  const auto folder = testing::output_folder();
  const CompressedDdm mush = small_compressed();
  const TwoLayerRig layers = small_layers();
  expect_played(folder / "mush.glb", bake_virtual_bones(mush), bake(mush), 1);
  expect_played(folder / "layers.glb", bake_virtual_bones(layers), bake(layers), 1);
}

TEST(GlbWriteSkinning, ABakedCharacterPlaysAnywhere) {
  MARROW_JUDGES_QUALITY();
  MARROW_NEEDS_SHARED(shared);
  const DdmRig ddm = make_ddm(read_rig(shared / "data/models/Xbot.glb")).value;
  const CompressedDdm model =
      compress(ddm, {.virtual_bones = 200, .poses = 10, .iterations = 1}, default_ranges(ddm.rig.skeleton)).value;
  ASSERT_GT(model.rig.motion.timeline.clips.size(), 3u);
  expect_played(testing::output_folder() / "xbot.glb", bake_virtual_bones(model), bake(model), 9);
}

/// Negative values are never plain weights, and two bytes cannot hold them.
TEST(GlbWriteSkinning, LayersOfAnySignAreFloatsBesideAConvexSkin) {
  const auto folder = testing::output_folder();
  TwoLayerRig rig = small_layers(true);
  // Two atoms against each other, where the solver needed none.
  rig.weights = {{0}, {}, {}};
  for (std::size_t i = 0; i < rig.rig.vertices(); ++i) {
    rig.weights.sources.insert(rig.weights.sources.end(), {0, 1});
    rig.weights.values.insert(rig.weights.values.end(), {1.5F, -0.5F});
    rig.weights.offsets.push_back(std::uint32_t(rig.weights.sources.size()));
  }
  write_glb(rig, folder / "signed.glb");
  const auto back = std::get<TwoLayerRig>(read_model(folder / "signed.glb"));
  EXPECT_EQ(back.weights, rig.weights);
  EXPECT_NO_THROW(validate(read_rig(folder / "signed.glb")));
  expect_error(ErrorCode::bad_input, {"negative"}, [&] { bake_virtual_bones(back); });
}

/// The layout that docs/marrow_skinning.md describes, evaluated by someone else: both layers by hand.
TEST(GlbWriteSkinning, OthersCanPlayTheLayers) {
  const auto file = testing::output_folder() / "layers.glb";
  const TwoLayerRig rig = small_layers();
  write_glb(rig, file);
  const testing::IndependentGlb glb(file);
  const auto& layers = glb.document()["extensions"]["MARROW_skinning"]["layers"];
  ASSERT_EQ(layers.size(), 2u);
  const auto numbers = [&](int layer, const char* key) { return glb.numbers(layers[layer][key].get<std::size_t>()); };
  const auto pose = rig.rig.motion.frame(2);
  std::vector<Affine> transforms(pose.begin(), pose.end());
  for (int layer = 0; layer < 2; ++layer) {
    EXPECT_EQ(layers[layer]["kind"], "weights");
    const auto counts = numbers(layer, "counts"), bones = numbers(layer, "bones"), values = numbers(layer, "values");
    std::size_t entry = 0, value = 0;
    std::vector<Affine> next(layers[layer]["rows"].get<std::size_t>());
    for (std::size_t row = 0; row < next.size(); ++row) {
      next[row].m.fill(0);
      // The first one has what the others leave.
      const std::size_t first = entry++;
      double left = 131070;
      const auto add = [&](std::size_t e, double steps) {
        const Affine& from = transforms[std::size_t(bones[e])];
        for (std::size_t q = 0; q < 12; ++q) next[row].m[q] += steps / 131070 * from.m[q];
      };
      for (int e = 1; e < int(counts[row]); ++e) {
        left -= double(values[value]);
        add(entry++, double(values[value++]));
      }
      add(first, left);
    }
    transforms = std::move(next);
  }
  std::vector<Vec3> expected(rig.rig.vertices());
  deform(quantised(rig), pose, expected);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Vec3 p = transform(transforms[i], rig.rig.mesh.positions[i]);
    EXPECT_NEAR(p.x, expected[i].x, 1e-5);
    EXPECT_NEAR(p.y, expected[i].y, 1e-5);
    EXPECT_NEAR(p.z, expected[i].z, 1e-5);
  }
}

TEST(GlbWriteSkinning, OthersSeeThePlainSkin) {
  const auto folder = testing::output_folder();
  const DdmRig ddm = small();
  write_glb(ddm, folder / "with.glb");
  write_glb(ddm.rig, folder / "without.glb");
  const testing::IndependentGlb with(folder / "with.glb"), without(folder / "without.glb");
  EXPECT_EQ(with.document()["extensionsUsed"], nlohmann::json::array({"MARROW_skinning"}));
  EXPECT_FALSE(with.document().contains("extensionsRequired"));
  EXPECT_EQ(with.play(0, 0.05), without.play(0, 0.05));
  // The layout that docs/marrow_skinning.md describes, read by someone else.
  const auto& layer = with.document()["extensions"]["MARROW_skinning"]["layers"][0];
  EXPECT_EQ(layer["kind"], "multi_weights");
  EXPECT_EQ(layer["rows"], ddm.vertices());
  const auto& counts = with.numbers(layer["counts"].get<std::size_t>());
  const auto& bones = with.numbers(layer["bones"].get<std::size_t>());
  const auto& values = with.numbers(layer["values"].get<std::size_t>());
  const auto& centres = with.numbers(layer["centres"].get<std::size_t>());
  ASSERT_EQ(values.size(), 10 * bones.size());
  for (std::size_t i = 0; i < ddm.vertices(); ++i) {
    EXPECT_EQ(counts[i], ddm.multi_weights.offsets[i + 1] - ddm.multi_weights.offsets[i]);
    EXPECT_EQ(centres[3 * i + 1], ddm.centres[i].y);
  }
  for (std::size_t e = 0; e < bones.size(); ++e) {
    EXPECT_EQ(bones[e], ddm.multi_weights.bones[e]);
    for (std::size_t k = 0; k < 10; ++k) EXPECT_EQ(values[10 * e + k], ddm.multi_weights.values[e][k]);
  }
}

TEST(GlbSkinning, SaysWhatIsWrong) {
  const auto folder = testing::output_folder();
  const auto file = folder / "file.glb";
  write_glb(small(), file);
  const std::string good = testing::read_bytes(file);
  const auto refuse = [&](ErrorCode code, const std::string& part, auto&& change) {
    testing::replace_file(file, changed(good, change));
    expect_error(code, {part}, [&] { read_model(file); });
    EXPECT_NO_THROW(read_rig(file)) << "the plain skin is still there";
  };
  const auto extension = [](nlohmann::json& j) -> nlohmann::json& { return j["extensions"]["MARROW_skinning"]; };
  refuse(ErrorCode::bad_file, "is missing", [](nlohmann::json& j) { j.erase("extensions"); });
  refuse(ErrorCode::bad_file, "newer marrow", [&](nlohmann::json& j) { extension(j)["version"] = 4; });
  refuse(ErrorCode::bad_file, "make it anew", [&](nlohmann::json& j) { extension(j)["version"] = 2; });
  refuse(ErrorCode::bad_file, "layers", [&](nlohmann::json& j) { extension(j)["layers"][0]["kind"] = "weights"; });
  refuse(ErrorCode::bad_file, "layers",
         [&](nlohmann::json& j) { extension(j)["layers"].push_back(extension(j)["layers"][0]); });
  refuse(ErrorCode::bad_file, "centres", [&](nlohmann::json& j) { extension(j)["layers"][0].erase("centres"); });
  refuse(ErrorCode::bad_input, "do not fit", [&](nlohmann::json& j) { extension(j)["layers"][0]["rows"] = 5; });
  for (const char* key : {"counts", "bones", "values", "centres"}) {
    refuse(ErrorCode::bad_input, "do not fit", [&](nlohmann::json& j) {
      auto& count = j["accessors"][extension(j)["layers"][0][key].get<std::size_t>()]["count"];
      count = count.get<std::size_t>() - 1;
    });
  }
  expect_error(ErrorCode::bad_file, {"none.glb", "is not there"}, [&] { read_model(folder / "none.glb"); });
  EXPECT_FALSE(has_model(folder / "none.glb"));
  // Files that others made or changed may count joints and vertices differently.
  refuse(ErrorCode::bad_file, "was changed", [](nlohmann::json& j) { j["asset"].erase("extras"); });
  refuse(ErrorCode::bad_file, "was changed", [&](nlohmann::json& j) { extension(j)["skin"] = 1; });
  testing::replace_file(file, changed(good, [&](nlohmann::json& j) { extension(j)["version"] = 4; }));
  EXPECT_FALSE(has_model(file));
}

void expect_survives_any_bytes(const Model& model) {
  const auto file = testing::output_folder() / "file.glb";
  write_glb(model, file);
  const std::string good = testing::read_bytes(file);
  const auto read = [&](const std::string& bytes) {
    testing::replace_file(file, bytes);
    const Model back = read_model(file);
    // What is valid can be played.
    std::vector<Vec3> positions(plain_rig(back).vertices());
    std::visit([&](const auto& kind) { deform(kind, std::vector<Affine>(kind.rig.bones()), positions); }, back);
    return back;
  };
  const testing::FuzzCounts cut = testing::try_truncations(good, read, 37);
  EXPECT_EQ(cut.read, 0u);
  const testing::FuzzCounts flipped = testing::try_flips(good, read, 600);
  EXPECT_GT(flipped.read, 0u);
  EXPECT_GT(flipped.refused, 0u);
  // Text that still parses but says something else, within the extension.
  std::uint32_t json_bytes = 0;
  std::memcpy(&json_bytes, good.data() + 12, 4);
  const std::size_t begin = good.find("\"extensions\":"), end = good.find("\"buffers\"", begin);
  ASSERT_LT(begin, end);
  ASSERT_LT(end, 20 + json_bytes);
  Random random(5);
  testing::FuzzCounts counts;
  for (int k = 0; k < 300; ++k) {
    testing::try_bytes(testing::misstated(good, begin, end, random), read, "misstated", counts);
  }
  EXPECT_GT(counts.refused, 0u);
}

TEST(GlbSkinning, SurvivesAnyBytes) {
  expect_survives_any_bytes(small());
}

TEST(GlbSkinning, TwoLayersSurviveAnyBytes) {
  expect_survives_any_bytes(small_layers());
}

TEST(GlbSkinning, CompressedDdmSurvivesAnyBytes) {
  expect_survives_any_bytes(small_compressed());
}

TEST(GlbSkinning, TwoLayersSayWhatIsWrong) {
  const auto file = testing::output_folder() / "file.glb";
  write_glb(small_layers(), file);
  const std::string good = testing::read_bytes(file);
  const auto refuse = [&](ErrorCode code, const std::string& part, auto&& change) {
    testing::replace_file(file, changed(good, change));
    expect_error(code, {part}, [&] { read_model(file); });
  };
  const auto layers = [](nlohmann::json& j) -> nlohmann::json& { return j["extensions"]["MARROW_skinning"]["layers"]; };
  refuse(ErrorCode::bad_file, "layers", [&](nlohmann::json& j) { layers(j).erase(1); });
  refuse(ErrorCode::bad_file, "layers", [&](nlohmann::json& j) { layers(j).push_back(layers(j)[1]); });
  refuse(ErrorCode::bad_file, "layers", [&](nlohmann::json& j) { layers(j)[0]["kind"] = "springs"; });
  refuse(ErrorCode::bad_file, "values", [&](nlohmann::json& j) { layers(j)[1].erase("values"); });
  // Rows of the first layer are what the second blends.
  refuse(ErrorCode::bad_input, "", [&](nlohmann::json& j) { std::swap(layers(j)[0], layers(j)[1]); });
  for (int layer : {0, 1}) {
    refuse(ErrorCode::bad_input, "do not fit", [&](nlohmann::json& j) { layers(j)[layer]["rows"] = 5; });
    for (const char* key : {"counts", "bones", "values"}) {
      refuse(ErrorCode::bad_input, "do not fit", [&](nlohmann::json& j) {
        auto& count = j["accessors"][layers(j)[layer][key].get<std::size_t>()]["count"];
        count = count.get<std::size_t>() - 1;
      });
    }
    // Zeros in the place of the lengths of rows.
    refuse(ErrorCode::bad_input, "row 0 is empty", [&](nlohmann::json& j) {
      j["accessors"][layers(j)[layer]["counts"].get<std::size_t>()].erase("bufferView");
    });
  }
}

TEST(GlbSkinning, VertexColoursAreReadInTheOrderOfTheVertices) {
  testing::GlbBuilder glb = testing::skinned_glb();
  EXPECT_TRUE(read_vertex_colors(glb.save("plain.glb")).empty());
  const std::size_t color = glb.add_accessor<std::uint8_t>(
      {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 51, 51, 51, 0, 0, 0, 0, 0, 255, 255, 255, 255}, 4, true);
  glb.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = color;
  const auto colors = read_vertex_colors(glb.save("colored.glb"));
  ASSERT_EQ(colors.size(), 6u);
  EXPECT_EQ(colors[1], (std::array<float, 3>{0, 1, 0}));
  EXPECT_FLOAT_EQ(colors[3][2], 0.2F);
  // A second part with the same vertices and no colours of its own.
  glb.json["meshes"][0]["primitives"].push_back(glb.json["meshes"][0]["primitives"][0]);
  glb.json["meshes"][0]["primitives"][1]["attributes"].erase("COLOR_0");
  const auto file = glb.save("shared.glb");
  EXPECT_EQ(read_vertex_colors(file), colors);
  EXPECT_EQ(read_rig(file).vertices(), colors.size());
}

}  // namespace
}  // namespace marrow
