#pragma once

#include <gtest/gtest.h>

/// For tests of how good a result is: the sanitizers' builds give the same one, in minutes.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MARROW_JUDGES_QUALITY() GTEST_SKIP() << "quality is judged in the release build; here it would take minutes"
#else
#define MARROW_JUDGES_QUALITY() static_cast<void>(0)
#endif
