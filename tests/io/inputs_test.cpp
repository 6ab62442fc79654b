#include "io/inputs.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/expect_error.hpp"
#include "support/files.hpp"

namespace marrow {
namespace {

namespace fs = std::filesystem;

class InputsTest : public ::testing::Test {
 protected:
  void make(const std::string& name, const std::string& bytes = "x") {
    fs::create_directories((folder_ / name).parent_path());
    testing::write_bytes(folder_ / name, bytes);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<std::string> paths(std::vector<std::string> names) const {
    for (std::string& name : names) name = path(name);
    return names;
  }
  /// File names relative to the test's folder.
  std::vector<std::string> resolve(const std::vector<std::string>& names, InputKind kind) const {
    std::vector<std::string> out;
    const Inputs found = resolve_inputs(paths(names));
    EXPECT_EQ(found.kind, kind);
    for (const auto& file : found.files) out.push_back(file.lexically_relative(folder_).string());
    return out;
  }
  void expect_refused(const std::vector<std::string>& names, std::initializer_list<std::string> parts) const {
    testing::expect_error(ErrorCode::bad_file, parts, [&] { resolve_inputs(paths(names)); });
  }

  using Names = std::vector<std::string>;
  fs::path folder_ = testing::output_folder();
};

TEST_F(InputsTest, OneFileByExtension) {
  for (const char* name : {"a.obj", "a.OBJ", "a.pc2", "a.glb", "a.gltf"}) make(name);
  EXPECT_EQ(resolve({"a.obj"}, InputKind::obj), Names{"a.obj"});
  EXPECT_EQ(resolve({"a.OBJ"}, InputKind::obj), Names{"a.OBJ"});
  EXPECT_EQ(resolve({"a.pc2"}, InputKind::pc2), Names{"a.pc2"});
  EXPECT_EQ(resolve({"a.glb"}, InputKind::gltf), Names{"a.glb"});
  EXPECT_EQ(resolve({"a.gltf"}, InputKind::gltf), Names{"a.gltf"});
}

TEST_F(InputsTest, FolderOfObjInNaturalOrder) {
  for (const char* name : {"f/frame_10.obj", "f/frame_9.obj", "f/frame_1.obj", "f/frame.mtl", "f/._frame_1.obj"})
    make(name);
  fs::create_directory(folder_ / "f/sub.obj");
  const Names expected{"f/frame_1.obj", "f/frame_9.obj", "f/frame_10.obj"};
  EXPECT_EQ(resolve({"f"}, InputKind::obj), expected);
  EXPECT_EQ(resolve({"f/"}, InputKind::obj), expected);
}

TEST_F(InputsTest, FolderWithOneOtherFile) {
  make("cache/a.pc2");
  make("model/a.glb");
  EXPECT_EQ(resolve({"cache"}, InputKind::pc2), Names{"cache/a.pc2"});
  EXPECT_EQ(resolve({"model"}, InputKind::gltf), Names{"model/a.glb"});
  make("cache/b.pc2");
  expect_refused({"cache"}, {"b.pc2", "2 PC2 files", "give one"});
}

TEST_F(InputsTest, SeveralFilesAndPatterns) {
  for (const char* name : {"f_1.obj", "f_2.obj", "f_10.obj", "f_x.obj", "f_1.mtl", "t2/a.obj", "t10/a.obj", "x[1].obj"})
    make(name);
  EXPECT_EQ(resolve({"f_10.obj", "f_2.obj"}, InputKind::obj), (Names{"f_2.obj", "f_10.obj"}));
  EXPECT_EQ(resolve({"f_*.obj"}, InputKind::obj), (Names{"f_1.obj", "f_2.obj", "f_10.obj", "f_x.obj"}));
  EXPECT_EQ(resolve({"f_?.*"}, InputKind::obj), (Names{"f_1.obj", "f_2.obj", "f_x.obj"}));
  EXPECT_EQ(resolve({"f_[0-9].obj"}, InputKind::obj), (Names{"f_1.obj", "f_2.obj"}));
  EXPECT_EQ(resolve({"t*/a.obj"}, InputKind::obj), (Names{"t2/a.obj", "t10/a.obj"}));
  EXPECT_EQ(resolve({"x[1].obj"}, InputKind::obj), Names{"x[1].obj"}) << "a file of that very name comes first";
}

TEST_F(InputsTest, RefusesWithARemedy) {
  testing::expect_error(ErrorCode::bad_request, {"no input"}, [] { resolve_inputs({}); });
  testing::expect_error(ErrorCode::bad_file, {"give an OBJ"}, [] { resolve_inputs({""}); });
  for (const char* name : {"a.obj", "a.pc2", "b.pc2", "a.txt", "noextension", "other/readme.txt"}) make(name);
  make("empty.obj", "");
  expect_refused({"missing.obj"}, {"missing.obj", "is not there", "pattern"});
  expect_refused({"missing/*.obj"}, {"missing/*.obj", "matches 0 names"});
  expect_refused({"*.txt"}, {"matches 1 names", "OBJ"});
  expect_refused({"a.txt"}, {"a.txt", ".obj"});
  expect_refused({"noextension"}, {"noextension", ".obj"});
  expect_refused({"other"}, {"other", "no OBJ"});
  expect_refused({"empty.obj"}, {"empty.obj", "0 bytes"});
  expect_refused({"a.obj", "a.pc2"}, {"a.pc2", "is a PC2 file", "--rest"});
  expect_refused({"a.pc2", "b.pc2"}, {"2 PC2 files", "give one"});
  expect_refused({"."}, {"one kind"});
  ASSERT_EQ(mkfifo(path("pipe.obj").c_str(), 0600), 0);
  expect_refused({"pipe.obj"}, {"pipe.obj", "ordinary"});
}

}  // namespace
}  // namespace marrow
