#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "marrow/error.hpp"

namespace marrow::testing {

/// Calls action() and expects an Error of this code whose text (place and message) has all of `parts` in it.
template <class Action>
void expect_error(ErrorCode code, std::initializer_list<std::string> parts, Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "\"" << part << "\" is not in: " << error.what();
    }
    return;
  }
  ADD_FAILURE() << "no error";
}

}  // namespace marrow::testing
