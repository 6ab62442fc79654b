#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "marrow/math.hpp"

namespace marrow {

/// One key of a bone as glTF nodes have it: T(translation) R(rotation) S(scale) R(inner), quaternions as (x, y, z, w).
/// `inner` is the identity where one node is enough.
template <class Real>
struct NodeKey {
  std::array<Real, 3> translation{0, 0, 0};
  std::array<Real, 4> rotation{0, 0, 0, 1};
  std::array<Real, 3> scale{1, 1, 1};
  std::array<Real, 4> inner{0, 0, 0, 1};
};

/// What a bone's nodes can express, simplest first.
enum class KeyKind {
  turning,   ///< one node with a rotation; its translation is that of the first key, always
  rigid,     ///< one node with translation and rotation
  scaled,    ///< the same with a scale along its axes
  flexible,  ///< a helper node with translation, rotation and scale above a node with a rotation: any affine map
};

/// Keys of one bone.
template <class Real>
struct NodeKeys {
  KeyKind kind = KeyKind::rigid;
  std::array<Real, 3> inner_scale{1, 1, 1};  ///< the lower node's scale where `kind` is flexible; never changes
  std::vector<NodeKey<Real>> keys;
};

/// Consecutive keys that a player interpolates, [first, first + count).
struct KeyRun {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// The keys of the given kind that come nearest to `locals` (bone to parent, one per key). Exact for every affine map
/// if the kind is flexible, singular and reflected ones included. `runs` cover `locals`; inside a run the keys are
/// chosen so that interpolating them stays close to interpolating the matrices.
NodeKeys<double> fit_keys(KeyKind kind, std::span<const Affine> locals, std::span<const KeyRun> runs);

/// What a player makes of key k.
Affine local_transform(const NodeKeys<double>& keys, std::size_t k);

/// The keys as the file will have them.
NodeKeys<float> rounded(const NodeKeys<double>& keys);
/// The same numbers in double, to compute with.
NodeKeys<double> widened(const NodeKeys<float>& keys);

}  // namespace marrow
