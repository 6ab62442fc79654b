#pragma once

#include <algorithm>
#include <map>
#include <string>

namespace marrow {

/// The name of `value`, which must be in the table.
template <class Enum>
std::string name_of(Enum value, const std::map<std::string, Enum>& names) {
  return std::ranges::find(names, value, [](const auto& entry) { return entry.second; })->first;
}

}  // namespace marrow
