#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "core/check.hpp"

namespace marrow {

/// Checks compressed rows, one per vertex: no row is empty, bones exist and ascend.
template <class Rows>
void require_rows(const Rows& rows, std::size_t bones, const char* where) {
  require(!rows.offsets.empty() && rows.offsets.front() == 0, where,
          [] { return "offsets must hold vertices + 1 entries and start at 0"; });
  require(rows.bones.size() == rows.values.size() && rows.offsets.back() == rows.bones.size(), where, [&] {
    return fmt::format("{} bones and {} values, but offsets ends at {}", rows.bones.size(), rows.values.size(),
                       rows.offsets.back());
  });
  for (std::size_t i = 0; i + 1 < rows.offsets.size(); ++i) {
    require(rows.offsets[i] < rows.offsets[i + 1] && rows.offsets[i + 1] <= rows.bones.size(), where,
            [&] { return fmt::format("vertex {} follows no bone", i); });
    for (std::uint32_t e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e) {
      const std::uint32_t bone = rows.bones[e];
      require(bone < bones, where, [&] { return fmt::format("vertex {} follows bone {} of only {}", i, bone, bones); });
      require(e == rows.offsets[i] || bone > rows.bones[e - 1], where,
              [&] { return fmt::format("bones of vertex {} are not sorted, or repeat", i); });
    }
  }
}

}  // namespace marrow
