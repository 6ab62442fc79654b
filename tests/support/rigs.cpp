#include "support/rigs.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

namespace marrow::testing {
namespace {

constexpr double length = 4, radius = 0.5;

Mesh tube(std::size_t rings, std::size_t sides, bool faces) {
  Mesh mesh;
  for (std::size_t r = 0; r < rings; ++r) {
    for (std::size_t s = 0; s < sides; ++s) {
      const double angle = 2 * std::numbers::pi * double(s) / double(sides);
      mesh.positions.push_back({float(length * double(r) / double(rings - 1)), float(radius * std::cos(angle)),
                                float(radius * std::sin(angle))});
    }
  }
  if (!faces) return mesh;
  mesh.face_offsets.push_back(0);
  for (std::size_t r = 0; r + 1 < rings; ++r) {
    for (std::size_t s = 0; s < sides; ++s) {
      const std::size_t next = (s + 1) % sides;
      for (const std::size_t v : {r * sides + s, r * sides + next, (r + 1) * sides + next, (r + 1) * sides + s}) {
        mesh.face_vertices.push_back(std::uint32_t(v));
      }
      mesh.face_offsets.push_back(std::uint32_t(mesh.face_vertices.size()));
    }
  }
  return mesh;
}

double bone_place(std::size_t j, std::size_t bones) {
  return length * (double(j) + 0.5) / double(bones);
}

/// The nearest bones, the nearer the more.
Weights near_weights(const Mesh& mesh, std::size_t bones, std::size_t influences) {
  Weights weights;
  weights.offsets.push_back(0);
  for (const Vec3& p : mesh.positions) {
    const auto distance = [&](std::uint32_t j) { return std::abs(double(p.x) - bone_place(j, bones)); };
    std::vector<std::uint32_t> order(bones);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, distance);
    order.resize(std::min(influences, bones));
    std::ranges::sort(order);
    double sum = 0;
    for (const std::uint32_t j : order) sum += 1 / (0.1 + distance(j));
    for (const std::uint32_t j : order) {
      weights.bones.push_back(j);
      weights.values.push_back(float(1 / (0.1 + distance(j)) / sum));
    }
    weights.offsets.push_back(std::uint32_t(weights.bones.size()));
  }
  return weights;
}

}  // namespace

Affine rotation(double x, double y, double z, double angle) {
  const double n = std::sqrt(x * x + y * y + z * z), c = std::cos(angle), s = std::sin(angle), d = 1 - c;
  x /= n, y /= n, z /= n;
  return {{c + d * x * x, d * x * y - s * z, d * x * z + s * y, 0, d * y * x + s * z, c + d * y * y, d * y * z - s * x,
           0, d * z * x - s * y, d * z * y + s * x, c + d * z * z, 0}};
}

Affine scaling(double x, double y, double z) {
  return {{x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0}};
}

Affine about(const Vec3& pivot, const Affine& a) {
  return Affine::translation(pivot.x, pivot.y, pivot.z) * a * Affine::translation(-pivot.x, -pivot.y, -pivot.z);
}

Affine mixed(const Affine& a, const Affine& b, double t) {
  Affine c;
  for (std::size_t k = 0; k < 12; ++k) c.m[k] = (1 - t) * a.m[k] + t * b.m[k];
  return c;
}

Rig tube_rig(const TubeOptions& options, const BoneMotion& motion) {
  Rig rig;
  rig.mesh = tube(options.rings, options.sides, options.faces);
  rig.weights = near_weights(rig.mesh, options.bones, options.influences);
  std::vector<Vec3> pivots;
  for (std::size_t j = 0; j < options.bones; ++j) {
    pivots.push_back({float(bone_place(j, options.bones)), 0, 0});
    rig.skeleton.names.push_back("bone" + std::to_string(j));
    rig.skeleton.parents.push_back(options.chain ? std::int32_t(j) - 1 : -1);
    rig.skeleton.bind.push_back(Affine::translation(pivots[j].x, 0, 0) * rotation(1, 2, 3, 0.2 * double(j)));
  }
  rig.motion.bones = options.bones;
  for (std::size_t c = 0; c < options.clips; ++c) {
    rig.motion.timeline.clips.push_back({"clip" + std::to_string(c), c * options.frames, options.frames});
    for (std::size_t t = 0; t < options.frames; ++t) {
      const double s = options.frames > 1 ? double(t) / double(options.frames - 1) : 0;
      rig.motion.timeline.times.push_back(double(c) + double(t) / 24);
      for (std::size_t j = 0; j < options.bones; ++j) {
        rig.motion.transforms.push_back(motion(j + c, pivots[j], s));
      }
    }
  }
  return rig;
}

Rig even_frames(const Rig& rig) {
  Rig out = rig;
  out.motion.timeline.times.clear();
  out.motion.transforms.clear();
  for (std::size_t t = 0; t < rig.frames(); t += 2) {
    out.motion.timeline.times.push_back(rig.motion.timeline.times[t]);
    const auto frame = rig.motion.frame(t);
    out.motion.transforms.insert(out.motion.transforms.end(), frame.begin(), frame.end());
  }
  out.motion.timeline.clips = {{"even", 0, out.motion.timeline.frames()}};
  return out;
}

}  // namespace marrow::testing
