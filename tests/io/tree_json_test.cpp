#include <gtest/gtest.h>

#include "marrow/error.hpp"
#include "marrow/io.hpp"
#include "marrow/skeleton.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/fuzz.hpp"

namespace marrow {
namespace {

using testing::expect_error;

constexpr const char* tree_sample = R"({"bones": [{"name": "hip", "parent": null, "joint": [0, 1.5, -2]},
                                   {"name": "knee", "parent": "hip"}, {"name": "tail"}]})";

TEST(TreeJson, HasNamesParentsAndJoints) {
  const auto file = testing::output_folder() / "tree.json";
  write_text(tree_sample, file);
  const BoneTree tree = read_tree(file);
  ASSERT_EQ(tree.bones.size(), 3u);
  EXPECT_EQ(tree.bones[0].name, "hip");
  EXPECT_EQ(tree.bones[0].parent, "");
  EXPECT_EQ(tree.bones[0].joint, (Vec3{0, 1.5F, -2}));
  EXPECT_EQ(tree.bones[1].parent, "hip");
  EXPECT_FALSE(tree.bones[1].joint.has_value());
  EXPECT_EQ(tree.bones[2].parent, "");
}

TEST(TreeJson, RefusesAnythingElse) {
  const auto file = testing::output_folder() / "tree.json";
  expect_error(ErrorCode::bad_file, {"tree.json", "cannot be opened"}, [&] { read_tree(file); });
  const auto refuse = [&](const std::string& text, const std::string& part) {
    write_text(text, file);
    expect_error(ErrorCode::bad_file, {"tree.json", part}, [&] { read_tree(file); });
  };
  refuse("", "is not a tree");
  refuse("[1]", "is not a tree");
  refuse(R"({"bones": {}})", "is not a tree");
  refuse(R"({"bones": [{"name": "a"}, 3]})", "bones[1]");
  refuse(R"({"bones": [{"parent": "a"}]})", "bones[0]: give it a \"name\"");
  refuse(R"({"bones": [{"name": "a", "parent": 0}]})", "\"parent\"");
  refuse(R"({"bones": [{"name": "a", "joint": [1, 2]}]})", "\"joint\"");
  refuse(R"({"bones": [{"name": "a", "joint": [1, 2, "3"]}]})", "\"joint\"");
  refuse(R"({"bones": [{"name": "a", "joint": [1, 2, 1e300]}]})", "\"joint\"");
}

TEST(TreeJson, SurvivesAnyBytes) {
  const auto file = testing::output_folder() / "tree.json";
  const auto read = [&](const std::string& bytes) {
    testing::replace_file(file, bytes);
    read_tree(file);
    return Mesh{};
  };
  testing::try_truncations(tree_sample, read);
  testing::try_flips(tree_sample, read, 500);
}

}  // namespace
}  // namespace marrow
