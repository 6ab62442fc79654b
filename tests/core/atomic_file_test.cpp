// Where writers put their files.
#include "core/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <iterator>

#include "marrow/io.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"

namespace marrow {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::read_bytes;

std::size_t entries(const fs::path& folder) {
  return std::size_t(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(AtomicFile, RefusesWhatIsNoFile) {
  const fs::path folder = testing::output_folder();
  const fs::path pipe = folder / "pipe", to_pipe = folder / "to_pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("pipe", to_pipe);
  for (const fs::path& name : {pipe, to_pipe}) {
    expect_error(ErrorCode::bad_file, {"pipe", "not an ordinary file"}, [&] { write_text("text", name); });
    EXPECT_TRUE(fs::is_fifo(pipe)) << "it was replaced";
  }
  expect_error(ErrorCode::bad_file, {"is a folder"}, [&] { write_text("text", folder); });
  EXPECT_EQ(entries(folder), 2u);
}

TEST(AtomicFile, FollowsLinks) {
  const fs::path folder = testing::output_folder();
  fs::create_directory(folder / "data");
  write_text("old", folder / "data/file.txt");
  fs::create_symlink("data/file.txt", folder / "link.txt");
  fs::create_symlink(folder / "link.txt", folder / "link_to_link.txt");
  fs::create_symlink("data/new.txt", folder / "dangling.txt");
  for (const auto& [link, target] :
       {std::pair{"link.txt", "file.txt"}, {"link_to_link.txt", "file.txt"}, {"dangling.txt", "new.txt"}}) {
    write_text(link, folder / link);
    EXPECT_TRUE(fs::is_symlink(folder / link)) << link << " was replaced by a file";
    EXPECT_EQ(read_bytes(folder / "data" / target), link);
  }
  EXPECT_EQ(entries(folder / "data"), 2u) << "something was left beside the files";
  fs::create_symlink("round", folder / "round");
  expect_error(ErrorCode::bad_file, {"round", "cycle"}, [&] { write_text("text", folder / "round"); });
}

}  // namespace
}  // namespace marrow
