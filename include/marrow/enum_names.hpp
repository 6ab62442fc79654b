#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace marrow {

/// A value of an enum with its name on the command line, in JSON and in reports, and what it means.
template <class Enum>
struct EnumName {
  Enum value;
  std::string name;
  std::string help;
};
template <class Enum>
using EnumNames = std::vector<EnumName<Enum>>;

/// Empty for a value that has none.
template <class Enum>
std::string name_of(Enum value, const EnumNames<Enum>& names) {
  for (const EnumName<Enum>& entry : names) {
    if (entry.value == value) return entry.name;
  }
  return {};
}

template <class Enum>
std::optional<Enum> value_of(std::string_view name, const EnumNames<Enum>& names) {
  for (const EnumName<Enum>& entry : names) {
    if (entry.name == name) return entry.value;
  }
  return {};
}

}  // namespace marrow
