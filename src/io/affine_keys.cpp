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
  for (int k = 0; k < 3; ++k) {
    const double length = linear.col(k).norm();
    if (length > 0) directions.col(k) /= length;
  }
  const Matrix3d rotation = nearest_rotation(directions);
  key.rotation = to_array(Quaterniond(rotation));
  for (int k = 0; k < 3; ++k) key.scale[std::size_t(k)] = rotation.col(k).dot(linear.col(k));
}

void fit_flexible(std::span<const Affine> locals, std::span<const KeyRun> runs, NodeKeys<double>& out) {
  std::vector<Matrix3d> matrices(locals.size());
  std::ranges::transform(locals, matrices.begin(), linear_part);
  const StretchTrack track = decompose_smoothly(matrices, runs);
  for (std::size_t k = 0; k < locals.size(); ++k) {
    const Stretch& stretch = track.stretches[k];
    out.keys[k].rotation = to_array(stretch.u);
    out.keys[k].scale = {stretch.s[0], stretch.s[1], stretch.s[2]};
    out.keys[k].inner = to_array(stretch.v.conjugate());
  }
  out.inner_scale = {track.inner_scale[0], track.inner_scale[1], track.inner_scale[2]};
}

/// q and -q are the same rotation. Takes the one nearer to the previous key, so that every player turns the short way.
void choose_hemisphere(const std::array<double, 4>& previous, std::array<double, 4>& q) {
  double dot = 0;
  for (std::size_t i = 0; i < 4; ++i) dot += previous[i] * q[i];
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
  for (std::size_t k = 0; k < locals.size(); ++k) {
    const Affine& place = locals[kind == KeyKind::turning ? 0 : k];
    out.keys[k].translation = {place(0, 3), place(1, 3), place(2, 3)};
    if (kind == KeyKind::turning || kind == KeyKind::rigid) fit_rigid(linear_part(locals[k]), out.keys[k]);
    if (kind == KeyKind::scaled) fit_scaled(linear_part(locals[k]), out.keys[k]);
  }
  if (kind == KeyKind::flexible) fit_flexible(locals, runs, out);
  for (const KeyRun& run : runs) {
    for (std::size_t k = run.first + 1; k < run.first + run.count; ++k) {
      choose_hemisphere(out.keys[k - 1].rotation, out.keys[k].rotation);
      choose_hemisphere(out.keys[k - 1].inner, out.keys[k].inner);
    }
  }
  return out;
}

Affine local_transform(const NodeKeys<double>& keys, std::size_t k) {
  const NodeKey<double>& key = keys.keys[k];
  const Matrix3d linear = to_quaternion(key.rotation).toRotationMatrix() * Vector3d(key.scale.data()).asDiagonal() *
                          to_quaternion(key.inner).toRotationMatrix() * Vector3d(keys.inner_scale.data()).asDiagonal();
  return to_affine(linear, key.translation);
}

NodeKeys<float> rounded(const NodeKeys<double>& keys) {
  return convert<float>(keys);
}

NodeKeys<double> widened(const NodeKeys<float>& keys) {
  return convert<double>(keys);
}

}  // namespace marrow
