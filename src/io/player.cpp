// Plays the keys that write_glb() writes, as glTF 2.0 says (section 3.11 and appendix C).
#include "marrow/player.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/eigen_affine.hpp"
#include "io/bone_nodes.hpp"
#include "marrow/error.hpp"

namespace marrow {
namespace {

template <std::size_t n>
std::array<double, n> linear(const std::array<double, n>& a, const std::array<double, n>& b, double s) {
  std::array<double, n> out;
  for (std::size_t k = 0; k < n; ++k) out[k] = a[k] + s * (b[k] - a[k]);
  return out;
}

std::array<double, 4> slerp(const std::array<double, 4>& a, const std::array<double, 4>& b, double s) {
  return to_array(to_quaternion(a).normalized().slerp(s, to_quaternion(b).normalized()));
}

NodeKey<double> between(const NodeKey<double>& a, const NodeKey<double>& b, double s) {
  return {linear(a.translation, b.translation, s), slerp(a.rotation, b.rotation, s), linear(a.scale, b.scale, s),
          slerp(a.inner, b.inner, s)};
}

}  // namespace

struct Player::State {
  struct PlayedBone {
    std::int32_t parent = -1;
    NodeKeys<double> keys;
  };

  Motion motion;
  std::vector<Affine> inverse_bind;
  std::vector<PlayedBone> bones;

  /// Between frames t and t + 1.
  std::vector<Affine> pose_between(std::size_t t, double s) const {
    std::vector<Affine> world, pose;
    for (std::size_t j = 0; j < bones.size(); ++j) {
      const auto& [parent, keys] = bones[j];
      // Key 0 is the bind pose.
      const Affine local = local_transform(between(keys.keys[1 + t], keys.keys[2 + t], s), keys.inner_scale);
      world.push_back(parent < 0 ? local : world[std::size_t(parent)] * local);
      pose.push_back(world.back() * inverse_bind[j]);
    }
    return pose;
  }
};

Player::Player(const Rig& rig, const Run& run) {
  validate(rig);
  BoneNodes nodes = make_bone_nodes(rig, run);
  State state{rig.motion, std::move(nodes.inverse_bind), {}};
  for (const BoneNode& node : nodes.nodes) state.bones.push_back({node.parent, widened(node.keys)});
  state_ = std::make_unique<const State>(std::move(state));
}

Player::~Player() = default;
Player::Player(Player&&) noexcept = default;
Player& Player::operator=(Player&&) noexcept = default;

std::vector<Affine> Player::pose_at(std::size_t clip, double seconds) const {
  const Timeline& timeline = state_->motion.timeline;
  if (clip >= timeline.clips.size()) {
    throw Error(ErrorCode::bad_request, "clip",
                fmt::format("there is no clip {}; the rig has {}", clip, timeline.clips.size()));
  }
  if (std::isnan(seconds)) throw Error(ErrorCode::bad_request, "seconds", "is not a number");
  const Clip& played = timeline.clips[clip];
  const auto first = timeline.times.begin() + std::ptrdiff_t(played.first);
  const auto last = first + std::ptrdiff_t(played.count) - 1;
  // The last frame that is not after it.
  const auto before = seconds <= *first ? first : std::upper_bound(first, last + 1, seconds) - 1;
  const auto t = std::size_t(before - timeline.times.begin());
  if (before == last || seconds <= *before) {
    const auto frame = state_->motion.frame(t);
    return {frame.begin(), frame.end()};
  }
  return state_->pose_between(t, (seconds - *before) / (*(before + 1) - *before));
}

std::vector<Affine> pose_at(const Rig& rig, std::size_t clip, double seconds, const Run& run) {
  return Player(rig, run).pose_at(clip, seconds);
}

}  // namespace marrow
