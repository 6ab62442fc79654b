#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "marrow/math.hpp"

namespace marrow {

/// One key of a bone as glTF nodes hold it: T(translation) R(rotation) S(scale) R(inner). Quaternions are (x, y, z, w).
/// `inner` is the identity where one node suffices.
template <class Real>
struct NodeKey {
  std::array<Real, 3> translation{0, 0, 0};
  std::array<Real, 4> rotation{0, 0, 0, 1};
  std::array<Real, 3> scale{1, 1, 1};
  std::array<Real, 4> inner{0, 0, 0, 1};
};

/// What the nodes of a bone can express, simplest first.
enum class KeyKind {
  turning,   ///< one node with rotation keys; its translation is constant (that of the first key)
  rigid,     ///< one node with translation and rotation
  scaled,    ///< one node with translation, rotation and scale
  flexible,  ///< a helper node with translation, rotation and scale above a node with a rotation: any affine map
};

template <class Real>
struct NodeKeys {
  KeyKind kind = KeyKind::rigid;
  std::array<Real, 3> inner_scale{1, 1, 1};  ///< scale of the lower node if `kind` is flexible; constant over the keys
  std::vector<NodeKey<Real>> keys;
};

/// A range of keys that players interpolate: [first, first + count).
struct KeyRun {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Fits keys of the given kind to `locals` (bone to parent, one per key). Exact for every affine map, also singular and
/// reflected ones, if the kind is flexible. `runs` cover `locals`. Within a run, keys are chosen so that interpolating
/// them stays close to interpolating the matrices.
NodeKeys<double> fit_keys(KeyKind kind, std::span<const Affine> locals, std::span<const KeyRun> runs);

/// The local transform that a player computes from a key.
Affine local_transform(const NodeKey<double>& key, const std::array<double, 3>& inner_scale);
inline Affine local_transform(const NodeKeys<double>& keys, std::size_t at) {
  return local_transform(keys.keys[at], keys.inner_scale);
}

/// Keys rounded to float, as the file stores them.
NodeKeys<float> rounded(const NodeKeys<double>& keys);
/// The same values in double.
NodeKeys<double> widened(const NodeKeys<float>& keys);

}  // namespace marrow
