#include "io/first_error.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace marrow {
namespace {

const auto failing = [](const char* message) { return [message] { throw std::runtime_error(message); }; };

void expect_kept(const FirstError& errors, const char* message) {
  try {
    errors.rethrow();
    FAIL() << "no error was kept";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), message);
  }
}

TEST(FirstError, NothingWithoutErrors) {
  FirstError errors;
  errors.guard(0, [] {});
  EXPECT_NO_THROW(errors.rethrow());
}

TEST(FirstError, LowestIndexWinsInAnyOrder) {
  FirstError errors;
  errors.guard(5, failing("five"));
  errors.guard(3, failing("three"));
  expect_kept(errors, "three");
}

TEST(FirstError, LaterErrorOfAHigherIndexIsDropped) {
  FirstError errors;
  // Index 4 is under way when index 1 fails, as on two threads.
  errors.guard(4, [&] {
    errors.guard(1, failing("one"));
    throw std::runtime_error("four");
  });
  expect_kept(errors, "one");
}

TEST(FirstError, HigherIndicesAreSkippedAndLowerOnesTried) {
  FirstError errors;
  errors.guard(3, failing("three"));
  errors.guard(4, [] { FAIL() << "there is nothing to gain here"; });
  bool tried = false;
  errors.guard(2, [&] { tried = true; });
  EXPECT_TRUE(tried);
}

}  // namespace
}  // namespace marrow
