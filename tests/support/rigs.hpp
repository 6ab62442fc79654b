#pragma once

#include <cstddef>
#include <functional>

#include "marrow/rig.hpp"

namespace marrow::testing {

Affine rotation(double x, double y, double z, double angle);
Affine scaling(double x, double y, double z);
/// The map a with `pivot` as its origin.
Affine about(const Vec3& pivot, const Affine& a);
/// (1 - t) a + t b, entry by entry.
Affine mixed(const Affine& a, const Affine& b, double t);

/// What bone j, whose rest origin is `pivot`, does at phase s, which runs from 0 to 1 over each clip.
using BoneMotion = std::function<Affine(std::size_t j, const Vec3& pivot, double s)>;

struct TubeOptions {
  std::size_t rings = 13;
  std::size_t sides = 6;
  std::size_t bones = 3;
  std::size_t influences = 2;  ///< per vertex, at most
  std::size_t frames = 9;      ///< per clip
  std::size_t clips = 1;
  bool chain = false;  ///< each bone the parent of the next; else all are roots
  bool faces = true;
};

/// A tube of radius 0.5 and length 4 along x with bones along it, each about its own origin.
Rig tube_rig(const TubeOptions& options, const BoneMotion& motion);

/// The same rig with only the frames 0, 2, 4, ... of its clip.
Rig even_frames(const Rig& rig);

}  // namespace marrow::testing
