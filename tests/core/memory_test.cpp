// How much memory a call may take.
#include "core/memory.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "support/expect_error.hpp"

namespace marrow {
namespace {

using testing::expect_error;

TEST(Memory, NumbersBeyond64BitsAreCounted) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  expect_error(ErrorCode::bad_request, {"would take", "GiB"}, [&] { need({}, most, most, "everything"); });
  EXPECT_NO_THROW(need({}, most, 0, "nothing"));
}

TEST(Memory, WithoutALimitItIsHalfOfWhatThereIs) {
  std::ifstream in("/proc/meminfo");
  std::string word;
  std::uint64_t kilobytes = 0;
  in >> word >> kilobytes;
  ASSERT_EQ(word, "MemTotal:");
  EXPECT_LE(available_memory(), 1024 * kilobytes);
  EXPECT_GT(available_memory(), std::uint64_t(1) << 20);
  EXPECT_EQ(memory_limit({}), available_memory() / 2);
  expect_error(ErrorCode::bad_request, {"half of what there is"},
               [&] { need({}, available_memory(), 1, "all of it"); });
}

}  // namespace
}  // namespace marrow
