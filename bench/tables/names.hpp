#pragma once

#include <string>
#include <utility>
#include <vector>

#include "marrow/enum_names.hpp"

/// For CLI::CheckedTransformer.
template <class Enum>
std::vector<std::pair<std::string, Enum>> values_by_name(const marrow::EnumNames<Enum>& names) {
  std::vector<std::pair<std::string, Enum>> values;
  for (const auto& entry : names) values.emplace_back(entry.name, entry.value);
  return values;
}
