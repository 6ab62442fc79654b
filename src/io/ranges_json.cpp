#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/input_file.hpp"
#include "marrow/error.hpp"
#include "marrow/motion_range.hpp"

namespace marrow {
namespace {

using RangesJson = nlohmann::ordered_json;
constexpr const char* axes[3] = {"x", "y", "z"};
constexpr const char* default_key = "default";

[[noreturn]] void fail(const InputFile& file, const std::string& place, const std::string& message) {
  throw Error(ErrorCode::bad_file, file.name(), fmt::format("{}: {}", place, message));
}

JointRange parse_range(const InputFile& file, const std::string& joint, const RangesJson& value) {
  const auto in_range = [](double degrees) { return degrees >= -180 && degrees <= 180; };
  if (value.is_number()) {
    const double degrees = value.get<double>();
    if (!(degrees >= 0 && degrees <= 180)) fail(file, joint, "must be 0 to 180 degrees");
    return JointRange::even(degrees);
  }
  if (!value.is_object()) fail(file, joint, "must be a number of degrees or an object with x, y and z");
  JointRange range;
  for (const auto& [key, limits] : value.items()) {
    const auto* axis = std::ranges::find(axes, key);
    if (axis == std::end(axes)) fail(file, joint, fmt::format("has \"{}\"; axes are x, y and z", key));
    const bool is_pair = limits.is_array() && limits.size() == 2 && limits[0].is_number() && limits[1].is_number();
    if (!is_pair) fail(file, joint, fmt::format("{} must be [low, high] in degrees", key));
    const double low = limits[0].get<double>(), high = limits[1].get<double>();
    if (!in_range(low) || !in_range(high) || low > 0 || high < 0) {
      fail(file, joint, fmt::format("{} must be [-180 to 0, 0 to 180] degrees", key));
    }
    const auto a = std::size_t(axis - std::begin(axes));
    range.low[a] = low;
    range.high[a] = high;
  }
  return range;
}

RangesJson read_object(const InputFile& file) {
  std::string text(file.size(), '\0');
  file.read(0, text.data(), text.size());
  RangesJson json = RangesJson::parse(text, nullptr, false);
  if (!json.is_object()) fail(file, "file", "is not a JSON object that maps joint names to ranges");
  return json;
}

}  // namespace

RangesOfMotion read_ranges(const std::filesystem::path& path, const Skeleton& skeleton) {
  const InputFile file(path);
  const RangesJson json = read_object(file);
  RangesOfMotion ranges = default_ranges(skeleton);
  if (const auto all = json.find(default_key); all != json.end()) {
    std::ranges::fill(ranges.joints, parse_range(file, default_key, *all));
  }
  for (const auto& [name, value] : json.items()) {
    const auto bone = std::ranges::find(skeleton.names, name);
    if (bone != skeleton.names.end()) {
      ranges.joints[std::size_t(bone - skeleton.names.begin())] = parse_range(file, name, value);
    } else if (name != default_key) {
      fail(file, name, "no bone has this name");
    }
  }
  return ranges;
}

std::string to_json(const RangesOfMotion& ranges, const Skeleton& skeleton) {
  validate(ranges, skeleton);
  RangesJson json = RangesJson::object();
  for (std::size_t j = 0; j < skeleton.bones(); ++j) {
    RangesJson& joint = json[skeleton.names[j]] = RangesJson::object();
    for (std::size_t a = 0; a < 3; ++a) {
      const double low = ranges.joints[j].low[a], high = ranges.joints[j].high[a];
      if (low < 0 || high > 0) joint[axes[a]] = {low, high};
    }
  }
  return json.dump(2, ' ', false, RangesJson::error_handler_t::replace) + "\n";
}

}  // namespace marrow
