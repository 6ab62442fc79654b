#pragma once

#include <gtest/gtest.h>

#include "marrow/view.hpp"

/// For tests that write pages: says so where the page was not built.
#define MARROW_NEEDS_PAGE() \
  if (!marrow::has_page_template()) GTEST_SKIP() << "viewer/dist/index.html was not built before the library"
