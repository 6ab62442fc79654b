#include "io/glb_animation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "core/unique_names.hpp"

namespace marrow::glb {
namespace {

// Nine hours at 30 frames per second: more means damaged times.
constexpr std::size_t max_frames = 1'000'000;
// Keys at most this many seconds apart count as one: exporters round times to float in different ways.
constexpr double same_time = 1e-5;
// Seconds. Files sampled at 10 frames per second or more have no wider gaps.
constexpr double baked_gap = 0.11;
constexpr double default_fps = 30;

/// Number of morph targets of the mesh at a node.
std::size_t target_count(const Document& document, const Node& node) {
  if (!node.mesh) return 0;
  const std::string place = fmt::format("meshes[{}]", *node.mesh);
  std::size_t most = 0;
  for (const Json& primitive : document.list(document.item("meshes", *node.mesh), "primitives", place)) {
    if (primitive.is_object()) most = std::max(most, document.list(primitive, "targets", place).size());
  }
  return most;
}

Interpolation read_interpolation(const Document& document, const Json& sampler, const std::string& place) {
  const std::string name = Document::text(sampler, "interpolation");
  if (name.empty() || name == "LINEAR") return Interpolation::linear;
  if (name == "STEP") return Interpolation::step;
  if (name != "CUBICSPLINE") document.fail(place, fmt::format("unknown interpolation \"{}\"", name));
  return Interpolation::cubic;
}

std::optional<Path> path_named(std::string_view name) {
  if (name == "translation") return Path::translation;
  if (name == "rotation") return Path::rotation;
  if (name == "scale") return Path::scale;
  if (name == "weights") return Path::weights;
  return std::nullopt;
}

std::vector<double> read_times(const Document& document, std::size_t accessor, const std::string& place) {
  const std::vector<float> raw = document.floats(accessor, 1);
  if (raw.empty()) document.fail(place, "has no keys");
  for (std::size_t e = 0; e < raw.size(); ++e) {
    if (!std::isfinite(raw[e])) document.fail(place, fmt::format("the time of key {} is not finite", e));
    if (e > 0 && raw[e] < raw[e - 1]) {
      document.fail(place,
                    fmt::format("the times are not ascending: key {} is at {} s, after {} s", e, raw[e], raw[e - 1]));
    }
  }
  document.charge(raw.size(), sizeof(double), place);
  return {raw.begin(), raw.end()};
}

void read_sampler(const Document& document, const Json& sampler, const std::string& place, Channel& channel) {
  channel.interpolation = read_interpolation(document, sampler, place);
  channel.times = read_times(document, document.required_reference(sampler, "input", "accessors", place), place);
  const std::size_t output = document.required_reference(sampler, "output", "accessors", place);
  // Morph weights are stored as scalars, `width` of them per key.
  channel.values = document.floats(output, channel.path == Path::weights ? 1 : channel.width);
  const std::size_t values_per_key = channel.interpolation == Interpolation::cubic ? 3 : 1;
  if (channel.values.size() / channel.width / values_per_key != channel.times.size() ||
      channel.values.size() % (channel.width * values_per_key) != 0) {
    document.fail(place, fmt::format("{} keys of {} x {} numbers do not fit the {} numbers given", channel.times.size(),
                                     values_per_key, channel.width, channel.values.size()));
  }
  const auto bad = std::ranges::find_if(channel.values, [](float v) { return !std::isfinite(v); });
  if (bad != channel.values.end()) {
    document.fail(place, fmt::format("number {} of the keys is not finite", bad - channel.values.begin()));
  }
}

/// One channel of an animation; nullopt if it moves no node or a property that moves no vertex.
std::optional<Channel> read_channel(const Document& document, const Scene& scene, const Json& animation,
                                    const Json& json, const std::string& place) {
  if (!json.is_object()) document.fail(place, "is not an object");
  const Json* target = document.object(json, "target", place);
  if (target == nullptr) document.fail(place, "has no target");
  const std::optional<std::size_t> node = document.reference(*target, "node", "nodes", place);
  const std::optional<Path> path = path_named(Document::text(*target, "path"));
  if (!node || !path) return std::nullopt;

  Channel channel;
  channel.node = *node;
  channel.path = *path;
  channel.width = channel.path == Path::rotation ? 4 : 3;
  if (channel.path == Path::weights) {
    channel.width = target_count(document, scene.nodes[*node]);
    if (channel.width == 0) return std::nullopt;
  } else if (scene.nodes[*node].matrix) {
    document.fail(place, fmt::format("moves node {}, which has a matrix; only nodes with translation, rotation and "
                                     "scale can move",
                                     *node));
  }
  const Json& samplers = document.list(animation, "samplers", place);
  const std::optional<std::size_t> sampler = document.integer(json, "sampler", place);
  if (!sampler || *sampler >= samplers.size() || !samplers[*sampler].is_object()) {
    document.fail(place, "its sampler does not exist");
  }
  read_sampler(document, samplers[*sampler], place, channel);
  return channel;
}

/// The times in order, without those within `tolerance` of the one before.
std::vector<double> distinct(std::vector<double> times, double tolerance) {
  std::ranges::sort(times);
  std::vector<double> out;
  for (const double t : times) {
    if (out.empty() || t - out.back() > tolerance) out.push_back(t);
  }
  return out;
}

/// True if the animation has keys at every frame: every channel's times are among `longest`, which has no long gaps.
bool is_baked(const Animation& animation, const std::vector<double>& longest) {
  for (std::size_t e = 1; e < longest.size(); ++e) {
    if (longest[e] - longest[e - 1] > baked_gap) return false;
  }
  const auto has_key = [&](double t) {
    const auto next = std::ranges::lower_bound(longest, t - same_time);
    return next != longest.end() && *next <= t + same_time;
  };
  return std::ranges::all_of(animation.channels,
                             [&](const Channel& c) { return std::ranges::all_of(c.times, has_key); });
}

std::vector<double> uniform_times(const Document& document, double first, double last, double fps, bool with_last,
                                  const std::string& place) {
  // Times are floats, so that a key may lie slightly off its frame.
  constexpr double slack = 1e-3;
  const double steps = std::floor((last - first) * fps + slack);
  if (!(steps < double(max_frames))) {
    document.fail(place, fmt::format("lasts from {} to {} s, which at {} frames per second is more than {} frames; "
                                     "lower the frame rate, or the times are damaged",
                                     first, last, fps, max_frames));
  }
  std::vector<double> out;
  for (std::size_t step = 0; step <= std::size_t(steps); ++step) {
    out.push_back(std::min(first + double(step) / fps, last));
  }
  if (with_last && last - out.back() > slack / fps) out.push_back(last);
  return out;
}

std::vector<double> frame_times(const Document& document, const Animation& animation, double fps,
                                const std::string& place) {
  const Channel& longest =
      *std::ranges::max_element(animation.channels, {}, [](const Channel& c) { return c.times.size(); });
  double first = longest.times.front(), last = longest.times.back();
  std::size_t keys = 0;
  for (const Channel& c : animation.channels) {
    first = std::min(first, c.times.front());
    last = std::max(last, c.times.back());
    keys += c.times.size();
  }
  if (fps > 0) return uniform_times(document, first, last, fps, false, place);
  if (document.is_own()) {
    document.charge(keys, sizeof(double), place);
    std::vector<double> all;
    for (const Channel& c : animation.channels) all.insert(all.end(), c.times.begin(), c.times.end());
    return distinct(std::move(all), 0);
  }
  if (is_baked(animation, longest.times)) return distinct(longest.times, same_time);
  return uniform_times(document, first, last, default_fps, true, place);
}

/// The value of a channel at `time`, `width` numbers.
std::vector<double> sample(const Channel& channel, double time) {
  const std::vector<double>& times = channel.times;
  const std::size_t width = channel.width;
  // A step counts for its frame even if rounding has put the two slightly apart.
  const double reached = channel.interpolation == Interpolation::step ? time + same_time : time;
  const auto next = std::size_t(std::ranges::upper_bound(times, reached) - times.begin());
  const bool cubic = channel.interpolation == Interpolation::cubic;
  const auto part = [&](std::size_t key, std::size_t which, std::size_t c) -> double {
    return channel.values[(cubic ? 3 * key + which : key) * width + c];
  };
  constexpr std::size_t in_tangent = 0, value = 1, out_tangent = 2;
  std::vector<double> out(width);
  const std::size_t key = next == 0 ? 0 : next - 1;
  for (std::size_t c = 0; c < width; ++c) out[c] = part(key, value, c);
  if (next == 0 || next == times.size() || channel.interpolation == Interpolation::step) return out;

  const double span = times[next] - times[key], s = (time - times[key]) / span;
  if (cubic) {
    // glTF 2.0, appendix C.5: Hermite spline with tangents per second.
    const double s2 = s * s, s3 = s2 * s;
    for (std::size_t c = 0; c < width; ++c) {
      out[c] = (2 * s3 - 3 * s2 + 1) * part(key, value, c) + span * (s3 - 2 * s2 + s) * part(key, out_tangent, c) +
               (3 * s2 - 2 * s3) * part(next, value, c) + span * (s3 - s2) * part(next, in_tangent, c);
    }
  } else if (channel.path == Path::rotation) {
    const auto quaternion = [&](std::size_t k) {
      return unit_quaternion(part(k, value, 0), part(k, value, 1), part(k, value, 2), part(k, value, 3));
    };
    const Eigen::Vector4d q = quaternion(key).slerp(s, quaternion(next)).coeffs();
    std::copy(q.data(), q.data() + 4, out.begin());
  } else {
    for (std::size_t c = 0; c < width; ++c) out[c] += s * (part(next, value, c) - out[c]);
  }
  return out;
}

}  // namespace

std::vector<Animation> read_animations(const Document& document, const Scene& scene, double fps) {
  std::vector<Animation> out;
  UniqueNames unique;
  std::size_t frames = 0;
  for (std::size_t a = 0; a < document.count("animations"); ++a) {
    const std::string place = fmt::format("animations[{}]", a);
    const Json& json = document.item("animations", a);
    Animation animation;
    for (const Json& channel : document.list(json, "channels", place)) {
      if (auto read = read_channel(document, scene, json, channel, place))
        animation.channels.push_back(std::move(*read));
    }
    if (animation.channels.empty()) continue;
    animation.frames = frame_times(document, animation, fps, place);
    frames += animation.frames.size();
    if (frames > max_frames) document.fail(place, fmt::format("there are more than {} frames", max_frames));
    const std::string name = Document::text(json, "name");
    animation.name = unique(name.empty() ? fmt::format("clip_{}", a) : name);
    out.push_back(std::move(animation));
  }
  return out;
}

void apply(const Animation& animation, double time, Pose& pose) {
  for (const Channel& channel : animation.channels) {
    const std::vector<double> v = sample(channel, time);
    Placement& placement = pose.placements[channel.node];
    switch (channel.path) {
      case Path::translation:
        placement.translation = {v[0], v[1], v[2]};
        break;
      case Path::rotation:
        placement.rotation = unit_quaternion(v[0], v[1], v[2], v[3]);
        break;
      case Path::scale:
        placement.scale = {v[0], v[1], v[2]};
        break;
      case Path::weights:
        pose.weights[channel.node] = v;
        break;
    }
  }
}

}  // namespace marrow::glb
