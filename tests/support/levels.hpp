#pragma once

#include <cstddef>
#include <iostream>

namespace marrow::testing {

/// The levels that kernels are built for, lowest first.
inline constexpr const char* level_names[3] = {"base", "v3", "v4"};

/// Says which levels a comparison of the first `runnable` leaves out.
inline void say_skipped_levels(std::size_t runnable) {
  for (std::size_t level = runnable; level < 3; ++level) {
    std::cout << "not compared: kernels of level " << level_names[level] << ", which this machine cannot run\n";
  }
}

}  // namespace marrow::testing
