// Where writers put their files.
#include "core/atomic_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <iterator>
#include <thread>

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

TEST(AtomicFile, RefusesAReadOnlyTarget) {
  const fs::path folder = testing::output_folder(), file = folder / "kept.txt";
  write_text("old", file);
  fs::permissions(file, fs::perms::owner_read | fs::perms::group_read);
  expect_error(ErrorCode::bad_file, {"kept.txt", "read-only", "chmod"}, [&] { write_text("new", file); });
  expect_error(ErrorCode::bad_file, {"kept.txt", "read-only"}, [&] { require_writable(file); });
  EXPECT_EQ(read_bytes(file), "old");
  EXPECT_EQ(entries(folder), 1u);
}

TEST(AtomicFile, AReplacedFileKeepsItsModeAndOwner) {
  const fs::path file = testing::output_folder() / "private.txt";
  write_text("old", file);
  const bool is_root = geteuid() == 0;
  ASSERT_EQ(chmod(file.c_str(), 0620), 0);
  ASSERT_EQ(is_root ? chown(file.c_str(), 4321, 1234) : 0, 0);
  write_text("new", file);
  struct stat status {};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(read_bytes(file), "new");
  EXPECT_EQ(status.st_mode & 07777, 0620u);
  if (is_root) {
    EXPECT_EQ(status.st_uid, 4321u);
    EXPECT_EQ(status.st_gid, 1234u);
  }
}

TEST(AtomicFile, ANewFileHasTheModeOfAnyOther) {
  const fs::path folder = testing::output_folder();
  write_text("new", folder / "ours.txt");
  testing::write_bytes(folder / "theirs.txt", "new");
  EXPECT_EQ(fs::status(folder / "ours.txt").permissions(), fs::status(folder / "theirs.txt").permissions());
}

/// A process that begins to write into `folder` and is killed before it is done.
void leave_something(const fs::path& folder) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    AtomicFile unfinished(folder / "unfinished.txt");
    unfinished.write("half of it");
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
}

TEST(AtomicFile, RemovesWhatAKilledWriterLeft) {
  const fs::path folder = testing::output_folder();
  leave_something(folder);
  ASSERT_EQ(entries(folder), 1u);
  // One that was given up while another was at work has a later name; a gap before it does not hide it.
  testing::write_bytes(folder / ".marrow-3.tmp", "of a run that was killed");
  fs::create_directory(folder / ".marrow-5.tmp");
  testing::write_bytes(folder / ".marrow-5.tmp/frame_1.obj", "of a run that was killed");
  write_text("text", folder / "file.txt");
  EXPECT_EQ(entries(folder), 1u);
  EXPECT_EQ(read_bytes(folder / "file.txt"), "text");
}

TEST(AtomicFile, LeavesWhatALivingWriterHas) {
  const fs::path folder = testing::output_folder();
  AtomicFile first(folder / "first.txt");
  first.write("first");
  write_text("second", folder / "second.txt");
  EXPECT_EQ(entries(folder), 2u) << "the temporary of the first, and the second";
  first.commit();
  EXPECT_EQ(read_bytes(folder / "first.txt"), "first");
  // What only looks like a temporary, and is none.
  fs::create_symlink("first.txt", folder / ".marrow-0.tmp");
  write_text("third", folder / "third.txt");
  EXPECT_TRUE(fs::is_symlink(folder / ".marrow-0.tmp"));
}

TEST(AtomicFile, ManyWritersInOneFolder) {
  const fs::path folder = testing::output_folder();
  std::vector<std::thread> writers;
  for (int w = 0; w < 8; ++w) {
    writers.emplace_back([&folder, w] {
      for (int k = 0; k < 50; ++k)
        write_text(std::to_string(w), folder / (std::to_string(w) + "_" + std::to_string(k)));
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(entries(folder), 400u);
  for (const auto& entry : fs::directory_iterator(folder)) {
    EXPECT_EQ(read_bytes(entry.path()), entry.path().filename().string().substr(0, 1));
  }
}

TEST(AtomicFile, NamesMayBeAsLongAsTheSystemAllows) {
  const fs::path folder = testing::output_folder();
  const std::string longest(255, 'n');
  write_text("text", folder / longest);
  EXPECT_EQ(read_bytes(folder / longest), "text");
  expect_error(ErrorCode::bad_file, {"too long"}, [&] { require_writable(folder / (longest + "n")); });
  EXPECT_EQ(entries(folder), 1u);
}

TEST(AtomicFile, OutputsAreCheckedWithoutTouchingThem) {
  const fs::path folder = testing::output_folder();
  require_writable(folder / "new.txt");
  EXPECT_EQ(entries(folder), 0u);
  expect_error(ErrorCode::bad_file, {"is a folder"}, [&] { require_writable(folder); });
  expect_error(ErrorCode::bad_file, {"missing/new.txt", "check that the folder exists"},
               [&] { require_writable(folder / "missing/new.txt"); });
  expect_error(ErrorCode::bad_file, {"null", "device"}, [&] { require_writable("/dev/null"); });
}

}  // namespace
}  // namespace marrow
