#include "io/affine_keys.hpp"

#include <algorithm>
#include <cmath>

#include "core/eigen_affine.hpp"
#include "core/polar.hpp"
#include "io/flexible_keys.hpp"

namespace marrow {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

void fit_rigid(const Matrix3d& linear, NodeKey<double>& key) {
  key.rotation = to_array(Quaterniond(nearest_rotation(linear)));
}

/// Columns of L = R diag(s) are orthogonal. R is the rotation nearest to the normalised columns.
void fit_scaled(const Matrix3d& linear, NodeKey<double>& key) {
  Matrix3d directions = linear;
  for (int c = 0; c < 3; ++c) {
    const double length = linear.col(c).norm();
    if (length > 0) directions.col(c) /= length;
  }
  const Matrix3d rotation = nearest_rotation(directions);
  key.rotation = to_array(Quaterniond(rotation));
  for (int r = 0; r < 3; ++r) key.scale[std::size_t(r)] = rotation.col(r).dot(linear.col(r));
}

void fit_flexible(std::span<const Affine> locals, std::span<const KeyRun> runs, NodeKeys<double>& out) {
  std::vector<Matrix3d> matrices(locals.size());
  std::ranges::transform(locals, matrices.begin(), linear_part);
  const StretchTrack track = decompose_smoothly(matrices, runs);
  for (std::size_t e = 0; e < locals.size(); ++e) {
    const Stretch& stretch = track.stretches[e];
    out.keys[e].rotation = to_array(stretch.u);
    out.keys[e].scale = {stretch.s[0], stretch.s[1], stretch.s[2]};
    out.keys[e].inner = to_array(stretch.v.conjugate());
  }
  out.inner_scale = {track.inner_scale[0], track.inner_scale[1], track.inner_scale[2]};
}

/// q and -q are the same rotation. Takes the one nearer to the previous key, so that every player turns the short way.
void choose_hemisphere(const std::array<double, 4>& previous, std::array<double, 4>& q) {
  double dot = 0;
  for (std::size_t r = 0; r < 4; ++r) dot += previous[r] * q[r];
  if (dot >= 0) return;
  for (double& v : q) v = -v;
}

template <class To, class From, std::size_t n>
std::array<To, n> convert(const std::array<From, n>& values) {
  std::array<To, n> out;
  std::ranges::transform(values, out.begin(), [](From v) { return static_cast<To>(v); });
  return out;
}

template <class To, class From>
NodeKeys<To> convert(const NodeKeys<From>& keys) {
  NodeKeys<To> out{keys.kind, convert<To>(keys.inner_scale), {}};
  out.keys.reserve(keys.keys.size());
  for (const auto& key : keys.keys) {
    out.keys.push_back(
        {convert<To>(key.translation), convert<To>(key.rotation), convert<To>(key.scale), convert<To>(key.inner)});
  }
  return out;
}

}  // namespace

NodeKeys<double> fit_keys(KeyKind kind, std::span<const Affine> locals, std::span<const KeyRun> runs) {
  NodeKeys<double> out{kind, {1, 1, 1}, std::vector<NodeKey<double>>(locals.size())};
  for (std::size_t e = 0; e < locals.size(); ++e) {
    const Affine& place = locals[kind == KeyKind::turning ? 0 : e];
    out.keys[e].translation = {place(0, 3), place(1, 3), place(2, 3)};
    if (kind == KeyKind::turning || kind == KeyKind::rigid) fit_rigid(linear_part(locals[e]), out.keys[e]);
    if (kind == KeyKind::scaled) fit_scaled(linear_part(locals[e]), out.keys[e]);
  }
  if (kind == KeyKind::flexible) fit_flexible(locals, runs, out);
  for (const KeyRun& run : runs) {
    for (std::size_t at = run.first + 1; at < run.first + run.count; ++at) {
      choose_hemisphere(out.keys[at - 1].rotation, out.keys[at].rotation);
      choose_hemisphere(out.keys[at - 1].inner, out.keys[at].inner);
    }
  }
  return out;
}

Affine local_transform(const NodeKey<double>& key, const std::array<double, 3>& inner_scale) {
  const Matrix3d linear = to_quaternion(key.rotation).toRotationMatrix() * Vector3d(key.scale.data()).asDiagonal() *
                          to_quaternion(key.inner).toRotationMatrix() * Vector3d(inner_scale.data()).asDiagonal();
  return to_affine(linear, key.translation);
}

NodeKeys<float> rounded(const NodeKeys<double>& keys) {
  return convert<float>(keys);
}

NodeKeys<double> widened(const NodeKeys<float>& keys) {
  return convert<double>(keys);
}

}  // namespace marrow
