// Requests that cannot be met as they stand: refused with a clear word, before anything is solved.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "marrow/ddm.hpp"
#include "marrow/deform.hpp"
#include "marrow/io.hpp"
#include "marrow/synthetic.hpp"
#include "marrow/two_layer.hpp"
#include "support/files.hpp"
#include "support/glb_builder.hpp"
#include "tool.hpp"

namespace marrow {
namespace {

namespace fs = std::filesystem;
using testing::Outcome;
using testing::run_tool;
using testing::Tool;
using Arguments = std::vector<std::string>;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

class CliRequests : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::output_folder();
    rig_ = synthetic::arm({.vertices = 200, .frames = 4});
    write_glb(rig_, folder_ / "arm.glb");
    write_pc2(bake(rig_), folder_ / "arm.pc2");
    write_obj(rig_.mesh, folder_ / "arm.obj");
    weights_ = {rig_.vertices(), 3, {}};
    for (std::size_t i = 0; i < rig_.vertices(); ++i) {
      const float t = float(i) / float(rig_.vertices());
      weights_.values.insert(weights_.values.end(), {0.8F - 0.8F * t, 0.8F * t, 0.2F});
    }
    write_npy(weights_, folder_ / "w.npy");
    layers_ = compress(rig_, {.bones_per_vertex = 3, .effort = Effort::fast}).value;
    write_glb(Model(layers_), folder_ / "layers.glb");
  }

  Outcome run(Arguments arguments) { return run_tool(folder_, std::move(arguments)); }

  /// `line` without spaces in its arguments.
  static Arguments split(const std::string& line) {
    Arguments words;
    std::istringstream in(line);
    for (std::string word; in >> word;) words.push_back(word);
    return words;
  }

  void expect_refused(int code, std::initializer_list<std::string> parts, const std::string& line) {
    const Outcome outcome = run(split(line));
    EXPECT_EQ(outcome.code, code) << line << ": " << outcome.err;
    for (const std::string& part : parts) EXPECT_TRUE(has(outcome.err, part)) << line << ": " << outcome.err;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      EXPECT_FALSE(entry.path().stem() == "out") << line << " wrote " << entry.path();
    }
  }

  /// layers.glb with another extension, under another name.
  template <class Change>
  void write_changed(const std::string& name, Change&& change) {
    const std::string bytes = testing::read_bytes(folder_ / "layers.glb");
    std::uint32_t text = 0;
    std::memcpy(&text, bytes.data() + 12, 4);
    auto json = nlohmann::json::parse(bytes.substr(20, text));
    change(json["extensions"]["MARROW_skinning"]);
    testing::write_bytes(folder_ / name, testing::GlbBuilder::pack(json.dump(), bytes.substr(20 + text + 8)));
  }

  fs::path folder_;
  Rig rig_;
  Matrix weights_;
  TwoLayerRig layers_;
};

/// Before the input is even looked at: here it is not there.
TEST_F(CliRequests, OutputsThatCannotBeWrittenAreNoticedFirst) {
  fs::create_directory(folder_ / "folder.glb");
  testing::write_bytes(folder_ / "kept.glb", "kept");
  fs::permissions(folder_ / "kept.glb", fs::perms::owner_read);
  for (const std::string command : {"decompose", "skeleton --bones 3", "compress", "reduce", "ddm"}) {
    expect_refused(1, {"folder.glb", "is a folder"}, command + " missing.pc2 -o folder.glb");
    expect_refused(1, {"kept.glb", "read-only"}, command + " missing.pc2 -o kept.glb");
    expect_refused(1, {"too long"}, command + " missing.pc2 -o " + std::string(300, 'n') + ".glb");
  }
  EXPECT_EQ(testing::read_bytes(folder_ / "kept.glb"), "kept");
  fs::remove(folder_ / "kept.glb");  // not a GLB, and the validator reads all that tests leave
}

TEST_F(CliRequests, CountsAreNotNegative) {
  const std::pair<std::string, std::string> options[] = {{"compress arm.glb -o out.glb", "--virtual-bones"},
                                                         {"compress arm.glb -o out.glb", "--cardinality"},
                                                         {"compress arm.glb -o out.glb", "--coefficients"},
                                                         {"reduce arm.glb -o out.glb", "--sample"},
                                                         {"reduce arm.glb --sample 3 -o out.glb", "--seed"},
                                                         {"skeleton arm.pc2 --bones auto -o out.glb", "--max-bones"},
                                                         {"decompose arm.pc2 --error 1 -o out.glb", "--max-bones"},
                                                         {"decompose arm.pc2 -o out.glb", "--also"},
                                                         {"ddm arm.glb -o out.glb", "--sample"},
                                                         {"ddm arm.glb -o out.glb", "--compress"},
                                                         {"ddm arm.glb -o out.glb", "--bytes"},
                                                         {"ddm arm.glb -o out.glb", "--steps"},
                                                         {"ddm arm.glb --compress 9 -o out.glb", "--influences"},
                                                         {"ddm arm.glb --sample 3 -o out.glb", "--seed"},
                                                         {"render arm.glb -o out.png", "--frame"},
                                                         {"convert arm.glb out.obj", "--frame"},
                                                         {"demo -o out", "--vertices"},
                                                         {"demo -o out", "--bones"}};
  for (const auto& [command, flag] : options) {
    for (const char* number : {"-3", "-1", "1.5", "many", "99999999999999999999999"}) {
      expect_refused(2, {flag, number}, command + " " + flag + " " + number);
    }
  }
}

TEST_F(CliRequests, TooMuchIsOutOfMemory) {
  expect_refused(1, {"out of memory"}, "ddm arm.glb -o out.glb --sample 9000000000000000000");
}

TEST_F(CliRequests, WhatIsWrittenHasItsSuffix) {
  expect_refused(2, {"out.npy", ".glb"}, "compress arm.glb -o out.npy");
  expect_refused(2, {"out.npy", ".glb"}, "compress w.npy --rest arm.obj -o out.npy");
  expect_refused(2, {"out.txt", ".glb"}, "reduce arm.glb -o out.txt");
  expect_refused(2, {"out.txt", ".npy", ".glb"}, "reduce w.npy --rest arm.obj -o out.txt");
  expect_refused(2, {"out.gltf", ".glb"}, "skeleton arm.pc2 -o out.gltf");
  expect_refused(2, {"out.html", ".glb"}, "ddm arm.glb -o out.html");
  expect_refused(2, {"out.pc2", ".glb"}, "decompose arm.pc2 -o out.pc2");
  expect_refused(2, {"out", ".glb"}, "decompose arm.pc2 -o out");
  // Before anything is read.
  expect_refused(2, {"out.obj", ".glb"}, "decompose nowhere.pc2 -o out.obj");
  for (const char* line : {"reduce arm.glb --influences 2 -o fewer.GLB", "reduce w.npy --rest arm.obj -o fewer.NPY",
                           "convert arm.glb arm2.GLB", "convert arm.glb arm2.PC2"}) {
    const Outcome outcome = run(split(line));
    EXPECT_EQ(outcome.code, 0) << line << ": " << outcome.err;
  }
  EXPECT_EQ(read_npy(folder_ / "fewer.NPY").rows, rig_.vertices());
}

TEST_F(CliRequests, FoldersAreThereBeforeAnythingIsSolved) {
  // The input is not there either, and would be missed first.
  for (const char* command : {"compress nowhere.glb", "reduce nowhere.glb", "skeleton nowhere.pc2", "ddm nowhere.glb",
                              "decompose nowhere.pc2"}) {
    const std::string line = command;
    expect_refused(1, {"no/such/out.glb", "folder"}, line + " -o no/such/out.glb");
    expect_refused(1, {"no/such/page.html", "folder"}, line + " -o out.glb --report no/such/page.html");
  }
  expect_refused(1, {"no/such/curve.json", "folder"}, "decompose nowhere.pc2 -o out.glb --curve no/such/curve.json");
}

TEST_F(CliRequests, OptionsThatDoNothingAreRefused) {
  write_text(R"({"bones": [{"name": "a", "joint": [0, 0, 0]}]})", folder_ / "tree.json");
  expect_refused(2, {"--bones", "--tree"}, "skeleton arm.pc2 -o out.glb --tree tree.json --bones 5");
  expect_refused(2, {"--max-bones", "auto"}, "skeleton arm.pc2 -o out.glb --max-bones 5");
  expect_refused(2, {"--max-bones", "auto"}, "skeleton arm.pc2 -o out.glb --max-bones 5 --bones 7");
  expect_refused(2, {"--max-bones"}, "skeleton arm.glb -o out.glb --max-bones 5 --bones auto");
  expect_refused(2, {"--max-bones", "auto"}, "decompose arm.pc2 -o out.glb --max-bones 5 --bones 7");
  expect_refused(2, {"--holdout", "--skeleton"}, "decompose arm.pc2 -o out.glb --skeleton --holdout 0.5");
  expect_refused(2, {"--also", "--skeleton"}, "decompose arm.pc2 -o out.glb --skeleton --also 2,3");
  // How to read what is not read.
  expect_refused(2, {"--fps"}, "compress w.npy --rest arm.obj --fps 24 -o out.glb");
  expect_refused(2, {"--fps"}, "reduce w.npy --rest arm.obj --fps 24 -o out.npy");
  expect_refused(2, {"--rest", "--original"}, "compress arm.glb --rest arm.obj -o out.glb");
  expect_refused(2, {"--rest", "--original"}, "compress arm.glb --rest arm.obj --original clips -o out.glb");
  expect_refused(2, {"--rest", "--original"}, "reduce arm.glb --rest arm.obj -o out.glb");
  for (const char* line :
       {"compress w.npy --rest arm.obj --clip a -o out.glb", "reduce w.npy --rest arm.obj --clip a -o out.npy"}) {
    expect_refused(2, {"--clip", "no frames"}, line);
  }
  expect_refused(2, {"--rest"}, "ddm arm.glb --rest arm.obj -o out.glb");
  EXPECT_EQ(run(split("reduce arm.glb --rest arm.obj --original arm.pc2 -o fewer.glb")).code, 0);
}

TEST_F(CliRequests, UnitAndUpAxisGoForMatricesToo) {
  const double size = size_of(rig_.mesh.positions);
  for (const char* command : {"compress", "reduce"}) {
    const std::string line = std::string(command) + " w.npy --rest arm.obj -o w.glb";
    ASSERT_EQ(run(split(line + " --unit cm")).code, 0);
    EXPECT_NEAR(size_of(read_rig(folder_ / "w.glb").mesh.positions), 0.01 * size, 1e-6 * size) << command;
    ASSERT_EQ(run(split(line + " --up z")).code, 0);
    EXPECT_NEAR(read_rig(folder_ / "w.glb").mesh.positions[7].y, rig_.mesh.positions[7].z, 1e-6) << command;
  }
}

TEST_F(CliRequests, LayersAreNotDroppedWithoutAWord) {
  fs::copy_file(folder_ / "layers.glb", folder_ / "SHOUTED.GLB");
  write_pc2(bake(layers_), folder_ / "layers.pc2");
  write_obj(rig_.mesh, folder_ / "layers.obj");
  for (const char* name : {"layers.glb", "SHOUTED.GLB"}) {
    const Outcome outcome = run({"compare", name, "--original", "layers.pc2", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_LT(nlohmann::json::parse(outcome.out)["e_rms"], 0.1) << name;
    for (const std::string line :
         {"compress IN -o c.glb --effort fast", "reduce IN --influences 2 -o r.glb", "convert IN c.pc2",
          "ddm IN -o d.glb", "skeleton IN -o s.glb --effort fast", "decompose IN -o d.glb --bones 3 --effort fast"}) {
      Arguments arguments = split(line);
      arguments[1] = name;
      const Outcome used = run(arguments);
      EXPECT_EQ(used.code, 0) << line << ": " << used.err;
      EXPECT_TRUE(has(used.err, "left out")) << line << ": " << used.err;
    }
  }
}

TEST_F(CliRequests, ModelsThatCannotBeReadAreToldApartFromNone) {
  write_changed("newer.glb", [](nlohmann::json& extension) { extension["version"] = 9; });
  write_changed("other.glb", [](nlohmann::json& extension) { extension["layers"][0]["kind"] = "springs"; });
  for (const std::string name : {"newer.glb", "other.glb"}) {
    expect_refused(1, {"MARROW_skinning", "newer marrow"}, "compare " + name + " --original arm.pc2");
    expect_refused(1, {"MARROW_skinning", "newer marrow"}, "view " + name + " -o out.html");
    expect_refused(1, {"MARROW_skinning", "newer marrow"}, "render " + name + " -o out.png");
    const Outcome converted = run(split("convert " + name + " plain.glb"));
    EXPECT_EQ(converted.code, 0) << converted.err;
    EXPECT_TRUE(has(converted.err, "left out")) << converted.err;
    EXPECT_FALSE(has_model(folder_ / "plain.glb"));
    const Outcome info = run({"info", name});
    EXPECT_EQ(info.code, 0) << info.err;
    EXPECT_TRUE(has(info.out, "newer marrow")) << info.out;
  }
}

TEST_F(CliRequests, InfoNamesTheModel) {
  const Outcome text = run({"info", "layers.glb"});
  EXPECT_TRUE(has(text.out, "two-layer skinning")) << text.out << text.err;
  const auto json = nlohmann::json::parse(run({"info", "layers.glb", "--json"}).out);
  EXPECT_EQ(json["model"]["kind"], "two-layer skinning");
  EXPECT_EQ(json["model"]["bytes"], storage(quantised(layers_)));
  EXPECT_FALSE(nlohmann::json::parse(run({"info", "arm.glb", "--json"}).out).contains("model"));
  ASSERT_EQ(run(split("ddm arm.glb -o mush.glb")).code, 0);
  EXPECT_TRUE(has(run({"info", "mush.glb"}).out, "Direct Delta Mush"));
}

TEST_F(CliRequests, MessagesNameWhatToDo) {
  const Outcome percent = run(split("compress arm.glb --weight-error 0.2% -o out.glb"));
  EXPECT_EQ(percent.code, 2);
  EXPECT_TRUE(has(percent.err, "--weight-error") && has(percent.err, "0.2%")) << percent.err;
  EXPECT_LT(percent.err.size(), 250u) << percent.err;
  expect_refused(1, {"marrow decompose"}, "ddm arm.pc2 -o out.glb");
  expect_refused(1, {"marrow decompose"}, "reduce arm.pc2 -o out.glb");
  write_pc2(slice(bake(rig_), 0, 2), folder_ / "short.pc2");
  write_obj(rig_.mesh, folder_ / "short.obj");
  expect_refused(1, {"short.pc2", "--original"}, "skeleton arm.glb --original short.pc2 -o out.glb");
  expect_refused(1, {"short.pc2", "--original"}, "view arm.glb --original short.pc2 -o out.html");
  Sequence other = synthetic::jelly({.vertices = 50, .frames = 4});
  write_pc2(other, folder_ / "other.pc2");
  write_obj(other.mesh, folder_ / "other.obj");
  expect_refused(1, {"other.pc2", "--original"}, "skeleton arm.glb --original other.pc2 -o out.glb");
}

TEST_F(CliRequests, StoppingIsNotSpokenOfAsAnError) {
  const Sequence long_one = synthetic::jelly({.vertices = 20'000, .frames = 60});
  write_obj(long_one.mesh, folder_ / "long.obj");
  write_pc2(long_one, folder_ / "long.pc2");
  Tool running(folder_, {"decompose", "long.pc2", "--bones", "60", "-o", "out.glb"});
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  kill(running.pid(), SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "stopped")) << outcome.err;
  EXPECT_FALSE(has(outcome.err, "parallel_for")) << outcome.err;
}

TEST_F(CliRequests, CompressSaysWhatTheFileHas) {
  const auto layer_bytes = [&] {
    const std::string bytes = testing::read_bytes(folder_ / "c.glb");
    std::uint32_t text = 0;
    std::memcpy(&text, bytes.data() + 12, 4);
    const auto json = nlohmann::json::parse(bytes.substr(20, text));
    std::size_t sum = 0;
    for (const auto& layer : json["extensions"]["MARROW_skinning"]["layers"]) {
      for (const char* key : {"counts", "bones", "values"}) {
        const auto& accessor = json["accessors"][layer[key].get<std::size_t>()];
        sum += json["bufferViews"][accessor["bufferView"].get<std::size_t>()]["byteLength"].get<std::size_t>();
      }
    }
    return sum;
  };
  for (const std::string more : {"", " --float", " --signed"}) {
    const Outcome outcome = run(split("compress arm.glb -o c.glb --json --effort fast" + more));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["reached"]["bytes"], layer_bytes()) << more;
    EXPECT_EQ(json["figures"]["bytes"], layer_bytes()) << more;
  }
}

TEST_F(CliRequests, CompressedMatricesHaveAnError) {
  const Outcome outcome = run(split("compress w.npy --rest arm.obj -o c.glb --json --effort fast --float"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto model = std::get<TwoLayerRig>(read_model(folder_ / "c.glb"));
  double sum = 0;
  for (std::size_t i = 0; i < weights_.rows; ++i) {
    std::vector<double> row(weights_.row(i).begin(), weights_.row(i).end());
    for (std::uint32_t e = model.weights.offsets[i]; e < model.weights.offsets[i + 1]; ++e) {
      const std::uint32_t k = model.weights.sources[e];
      for (std::uint32_t d = model.virtual_bones.offsets[k]; d < model.virtual_bones.offsets[k + 1]; ++d) {
        row[model.virtual_bones.sources[d]] -= double(model.weights.values[e]) * model.virtual_bones.values[d];
      }
    }
    for (const double v : row) sum += v * v;
  }
  const double expected = 1000 * std::sqrt(sum / double(weights_.values.size()));
  EXPECT_NEAR(nlohmann::json::parse(outcome.out)["reached"]["weight_error"], expected, 1e-3);
  const Outcome text = run(split("compress w.npy --rest arm.obj -o c.glb --effort fast"));
  EXPECT_TRUE(has(text.out, "error of weights")) << text.out;
}

TEST_F(CliRequests, ManyBakedBonesAreWarnedOf) {
  const Rig dense = dense_lbs(make_ddm(synthetic::quadruped({.vertices = 600, .frames = 3}), {.prune = 0}).value);
  write_glb(dense, folder_ / "dense.glb");
  const Outcome many = run(split("compress dense.glb --virtual-bones 300 --bake --effort fast -o many.glb"));
  ASSERT_EQ(many.code, 0) << many.err;
  ASSERT_GT(read_rig(folder_ / "many.glb").bones(), 256u);
  EXPECT_TRUE(has(many.err, "--virtual-bones 256")) << many.err;
  const Outcome few = run(split("compress dense.glb --virtual-bones 40 --bake --effort fast -o few.glb"));
  EXPECT_FALSE(has(few.err, "--virtual-bones 256")) << few.err;
}

/// Both steps of decompose --skeleton have their say.
TEST_F(CliRequests, WarningsOfTheSkeletonAreKept) {
  const Outcome outcome = run(split("decompose arm.pc2 --bones 30 --skeleton --effort fast --smooth 0 -o s.glb"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "30 bones and")) << outcome.out;
  const Rig rig = read_rig(folder_ / "s.glb");
  std::vector<bool> moves(rig.bones());
  for (const std::uint32_t j : rig.weights.bones) moves[j] = true;
  std::size_t bones = 0, idle = 0;
  for (std::size_t j = 0; j < rig.bones(); ++j) {
    if (rig.skeleton.names[j].ends_with("_end")) continue;
    ++bones;
    idle += moves[j] ? 0 : 1;
  }
  EXPECT_EQ(bones, 30u);
  EXPECT_EQ(has(outcome.err, "move no vertices"), idle > 0) << outcome.err;
}

}  // namespace
}  // namespace marrow
