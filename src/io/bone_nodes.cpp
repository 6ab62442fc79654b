#include "io/bone_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/parallel.hpp"

namespace marrow {
namespace {

using Point = std::array<double, 3>;

/// A cube around the mesh; its edge is the diagonal of the mesh's bounding box. If two affine maps differ by at most d
/// at the corners, they differ by at most d on the mesh.
struct Cube {
  std::array<Point, 8> corners;
  double size = 0;
};

Cube cube_around(std::span<const Vec3> points) {
  Point low{}, high{};
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (const Vec3& p : points) {
    const Point q{p.x, p.y, p.z};
    for (std::size_t r = 0; r < 3; ++r) {
      low[r] = std::min(low[r], q[r]);
      high[r] = std::max(high[r], q[r]);
    }
  }
  Cube cube;
  cube.size = std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  if (cube.size == 0) cube.size = 1;  // a single point: any scale will do
  for (std::size_t c = 0; c < 8; ++c) {
    for (std::size_t r = 0; r < 3; ++r) {
      const double side = (c >> r & 1) != 0 ? 0.5 : -0.5;
      cube.corners[c][r] = 0.5 * (low[r] + high[r]) + side * cube.size;
    }
  }
  return cube;
}

double distance(const Point& a, const Point& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

Affine rounded_to_float(Affine a) {
  for (double& v : a.m) v = float(v);
  return a;
}

class BoneNodeMaker {
 public:
  explicit BoneNodeMaker(const Rig& rig)
      : rig_(rig), cube_(cube_around(rig.mesh.positions)), poses_(rig.frames() + 1), worlds_(rig.bones()) {
    runs_.push_back({0, 1});
    for (const Clip& clip : rig.motion.timeline.clips) runs_.push_back({1 + clip.first, clip.count});
    out_.nodes.resize(rig.bones());
    has_children_.assign(rig.bones(), false);
    for (std::size_t j = 0; j < rig.bones(); ++j) {
      out_.inverse_bind.push_back(rounded_to_float(inverse(rig.skeleton.bind[j])));
      if (rig.skeleton.parents[j] >= 0) has_children_[std::size_t(rig.skeleton.parents[j])] = true;
    }
  }

  /// Call for parents first. Keys are relative to the parent's world transforms as stored in the file, so that rounding
  /// does not accumulate along a chain.
  void make(std::size_t j) {
    const std::vector<Affine> targets = target_worlds(j);
    double best_error = std::numeric_limits<double>::infinity();
    for (std::int32_t parent = rig_.skeleton.parents[j];; parent = rig_.skeleton.parents[std::size_t(parent)]) {
      const std::optional<std::vector<Affine>> locals = relative_to(parent, targets);
      if (locals) {
        NodeKeys<float> keys = rounded(simplest_keys(j, parent, *locals));
        const double error = worst_error(j, parent, widened(keys));
        if (error < best_error) {
          best_error = error;
          out_.nodes[j] = {parent, std::move(keys)};
        }
      }
      if (parent < 0 || best_error <= written_tolerance) break;
    }
    if (has_children_[j]) worlds_[j] = worlds_of(out_.nodes[j].parent, widened(out_.nodes[j].keys));
  }

  BoneNodes take() { return std::move(out_); }

 private:
  /// Tolerances as shares of the size. `kind_tolerance`, `turning_tolerance`: allowed error of a simpler kind.
  /// `written_tolerance`: allowed error after rounding to float; above it the bone is moved to the next ancestor.
  /// Turning gets more, because a joint that is fixed on its parent cannot compensate the parent's rounding.
  static constexpr double kind_tolerance = 1e-6, turning_tolerance = 2e-6, written_tolerance = 3e-6;

  /// Motion times bind pose. The bind pose is the inverse of the rounded inverse bind matrix, so its rounding cancels.
  std::vector<Affine> target_worlds(std::size_t j) const {
    const Affine bind = inverse(out_.inverse_bind[j]);
    std::vector<Affine> worlds{bind};
    worlds.reserve(poses_);
    for (std::size_t t = 0; t < rig_.frames(); ++t) worlds.push_back(rig_.motion.frame(t)[j] * bind);
    return worlds;
  }

  const Affine& world(std::int32_t bone, std::size_t pose) const {
    static const Affine identity;
    return bone < 0 ? identity : worlds_[std::size_t(bone)][pose];
  }

  /// nullopt if the parent's transform is singular in some pose.
  std::optional<std::vector<Affine>> relative_to(std::int32_t parent, const std::vector<Affine>& targets) const {
    std::vector<Affine> locals = targets;
    if (parent < 0) return locals;
    for (std::size_t pose = 0; pose < poses_; ++pose) {
      const Affine& above = world(parent, pose);
      if (!std::isfinite(1 / determinant(above))) return std::nullopt;
      locals[pose] = inverse(above) * targets[pose];
    }
    return locals;
  }

  std::vector<Affine> worlds_of(std::int32_t parent, const NodeKeys<double>& keys) const {
    std::vector<Affine> worlds(poses_);
    for (std::size_t pose = 0; pose < poses_; ++pose) {
      worlds[pose] = world(parent, pose) * local_transform(keys, pose);
    }
    return worlds;
  }

  NodeKeys<double> simplest_keys(std::size_t j, std::int32_t parent, std::span<const Affine> locals) const {
    for (const KeyKind kind : {KeyKind::turning, KeyKind::rigid, KeyKind::scaled}) {
      NodeKeys<double> keys = fit_keys(kind, locals, runs_);
      const double tolerance = kind == KeyKind::turning ? turning_tolerance : kind_tolerance;
      if (worst_error(j, parent, keys) <= tolerance) return keys;
    }
    return fit_keys(KeyKind::flexible, locals, runs_);
  }

  /// Largest distance of the cube's corners under the keys from those under the bone, over all poses. Relative to the
  /// size, or to 0.2 × the distance from the origin if that is larger: it limits the precision of floats.
  double worst_error(std::size_t j, std::int32_t parent, const NodeKeys<double>& keys) const {
    static const Affine rest;
    double worst = 0;
    for (std::size_t pose = 0; pose < poses_; ++pose) {
      const Affine skin = world(parent, pose) * local_transform(keys, pose) * out_.inverse_bind[j];
      const Affine& wanted = pose == 0 ? rest : rig_.motion.frame(pose - 1)[j];
      double error = 0, scale = cube_.size;
      for (const Point& corner : cube_.corners) {
        const Point p = transform(wanted, corner);
        error = std::max(error, distance(transform(skin, corner), p));
        scale = std::max(scale, 0.2 * std::hypot(p[0], p[1], p[2]));
      }
      worst = std::max(worst, error / scale);
    }
    return worst;
  }

  const Rig& rig_;
  const Cube cube_;
  const std::size_t poses_;
  std::vector<KeyRun> runs_;
  std::vector<std::uint8_t> has_children_;
  std::vector<std::vector<Affine>> worlds_;  ///< of bones with children: per pose, as stored in the file
  BoneNodes out_;
};

/// Bones by depth. A level depends only on the levels above it.
std::vector<std::vector<std::size_t>> levels_of(const std::vector<std::int32_t>& parents) {
  std::vector<std::vector<std::size_t>> levels;
  std::vector<std::size_t> depth(parents.size(), 0);
  for (std::size_t j = 0; j < parents.size(); ++j) {
    if (parents[j] >= 0) depth[j] = depth[std::size_t(parents[j])] + 1;
    if (depth[j] == levels.size()) levels.emplace_back();
    levels[depth[j]].push_back(j);
  }
  return levels;
}

}  // namespace

BoneNodes make_bone_nodes(const Rig& rig, const Run& run) {
  BoneNodeMaker maker(rig);
  std::size_t done = 0;
  for (const std::vector<std::size_t>& level : levels_of(rig.skeleton.parents)) {
    parallel_for(run, level.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t e = begin; e < end; ++e) maker.make(level[e]);
    });
    done += level.size();
    run.report({.stage = "fitting keys", .fraction = double(done) / double(rig.bones())});
  }
  BoneNodes out = maker.take();
  for (std::size_t j = 0; j < rig.bones(); ++j) {
    if (out.nodes[j].parent == rig.skeleton.parents[j]) continue;
    run.warn(
        fmt::format("bone \"{}\" cannot follow its parent \"{}\" exactly: that one is flattened in some frame. It is "
                    "written below the nearest ancestor that can carry it",
                    rig.skeleton.names[j], rig.skeleton.names[std::size_t(rig.skeleton.parents[j])]));
  }
  return out;
}

}  // namespace marrow
