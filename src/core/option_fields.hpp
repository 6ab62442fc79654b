#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "marrow/enum_names.hpp"
#include "marrow/options.hpp"

namespace marrow {

/// How a field's type and a Setting become each other.
template <class Value>
struct SettingOf;

template <>
struct SettingOf<bool> {
  static constexpr OptionKind kind = OptionKind::flag;
  static Setting from(bool value) { return value; }
  static bool to(const Setting& setting) { return std::get<bool>(setting); }
};

template <std::integral Value>
struct SettingOf<Value> {
  static constexpr OptionKind kind = OptionKind::count;
  static Setting from(Value value) {
    return std::in_range<std::int64_t>(value) ? std::int64_t(value) : std::numeric_limits<std::int64_t>::max();
  }
  static Value to(const Setting& setting) { return static_cast<Value>(std::get<std::int64_t>(setting)); }
};

template <>
struct SettingOf<double> {
  static constexpr OptionKind kind = OptionKind::number;
  static Setting from(double value) { return value; }
  static double to(const Setting& setting) { return std::get<double>(setting); }
};

template <>
struct SettingOf<std::filesystem::path> {
  static constexpr OptionKind kind = OptionKind::text;
  static Setting from(const std::filesystem::path& value) { return value.string(); }
  static std::filesystem::path to(const Setting& setting) { return std::get<std::string>(setting); }
};

/// Makes the entries of a struct's table: `field("bones", &DecomposeOptions::bones, {.help = ..., .least = 1})`. For a
/// nested member, a function that gives a reference to it stands in place of the member pointer.
template <class Options>
class OptionFields {
 public:
  explicit OptionFields(Options& options) : options_(options) {}

  template <class Member>
  Option operator()(const char* name, Member member, OptionInfo info) const {
    using Value = std::remove_cvref_t<std::invoke_result_t<Member, Options&>>;
    return make(name, member, std::move(info), Conversion<Value>{});
  }

  template <class Member, class Enum>
  Option operator()(const char* name, Member member, const EnumNames<Enum>& names, OptionInfo info) const {
    info.kind = OptionKind::choice;
    for (const EnumName<Enum>& entry : names) info.choices.push_back({entry.name, entry.help});
    return make(name, member, std::move(info), Named<Enum>{names});
  }

 private:
  template <class Value>
  struct Conversion {
    static constexpr OptionKind kind = SettingOf<Value>::kind;
    static constexpr bool optional = false;
    std::optional<Setting> from(const Value& value) const { return SettingOf<Value>::from(value); }
    Value to(const std::optional<Setting>& setting) const { return SettingOf<Value>::to(*setting); }
  };
  template <class Value>
  struct Conversion<std::optional<Value>> {
    static constexpr OptionKind kind = SettingOf<Value>::kind;
    static constexpr bool optional = true;
    std::optional<Setting> from(const std::optional<Value>& value) const {
      return value ? std::optional(SettingOf<Value>::from(*value)) : std::nullopt;
    }
    std::optional<Value> to(const std::optional<Setting>& setting) const {
      return setting ? std::optional<Value>(SettingOf<Value>::to(*setting)) : std::nullopt;
    }
  };
  template <class Enum>
  struct Named {
    static constexpr OptionKind kind = OptionKind::choice;
    static constexpr bool optional = false;
    EnumNames<Enum> names;
    std::optional<Setting> from(Enum value) const { return name_of(value, names); }
    Enum to(const std::optional<Setting>& setting) const { return *value_of(std::get<std::string>(*setting), names); }
  };

  template <class Member, class Convert>
  Option make(const char* name, Member member, OptionInfo info, Convert convert) const {
    info.name = name;
    if (info.kind != OptionKind::share) info.kind = Convert::kind;
    info.optional = Convert::optional;
    Options defaults{};
    info.default_value = convert.from(std::invoke(member, defaults));
    if (info.kind == OptionKind::share) {
      info.unit = "% of the size";
      info.scale = 100;
    }
    if (info.flag.empty() && info.no_flag.empty()) {
      const bool is_on = info.default_value == std::optional<Setting>(true);
      info.flag = flag_of(is_on ? "no_" + info.name : info.name);
    }
    return {std::move(info), [&o = options_, member, convert] { return convert.from(std::invoke(member, o)); },
            [&o = options_, member, convert](const std::optional<Setting>& value) {
              std::invoke(member, o) = convert.to(value);
            }};
  }

  Options& options_;
};

}  // namespace marrow
