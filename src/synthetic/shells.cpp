#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "marrow/error.hpp"
#include "synthetic/bone_weights.hpp"
#include "synthetic/posing.hpp"
#include "synthetic/shapes.hpp"

namespace marrow::synthetic {
namespace {

constexpr std::size_t fewest_per_piece = 8;
constexpr double flight = 2;  // seconds of motion in a clip of any length

struct Piece {
  Point centre;
  Eigen::Quaterniond stand;
  Point half_size;
  Point velocity;  // per second
  Point spin_axis;
  double spin;         // degrees per second
  double share;        // relative number of vertices
  std::size_t family;  // box, ellipsoid, torus
};

Point random_direction(Random& random) {
  const Point p(random.normal(), random.normal(), random.normal());
  return p.norm() > 0 ? Point(p.normalized()) : Point::UnitY();
}

/// Pieces start in the cells of a cubic lattice without touching, and move away from its centre.
Piece random_piece(Random random, std::size_t index, std::size_t pieces) {
  const auto across = std::size_t(std::ceil(std::cbrt(double(pieces)) - 1e-9));
  const std::size_t x = index % across, y = index / across % across, z = index / (across * across);
  const Point cell = Point(double(x), double(y), double(z));
  const double pitch = 2.0 / double(across);
  Piece piece;
  piece.centre = pitch * (cell - Point::Constant(0.5 * double(across - 1)));
  piece.stand = turn(random.uniform(0, 360), random_direction(random));
  piece.family = (x + y + z) % 3;
  // Half diagonals below half the pitch keep pieces apart in any orientation.
  const Point sizes(random.uniform(0.65, 1), random.uniform(0.65, 1), random.uniform(0.65, 1));
  piece.half_size = pitch * (piece.family == 0 ? 0.28 : 0.46) * sizes;
  piece.velocity = piece.centre + 0.2 * random_direction(random);
  piece.spin_axis = random_direction(random);
  piece.spin = random.uniform(60, 240);
  piece.share = random.uniform(0.4, 1.6);
  return piece;
}

Mesh solid(const Piece& piece, std::size_t vertices) {
  constexpr double tube = 0.35;
  Mesh mesh = piece.family == 0 ? cube(vertices) : piece.family == 1 ? ball(vertices) : torus(vertices, tube);
  const Point scale = piece.family == 2 ? Point(piece.half_size / (1 + tube)) : piece.half_size;
  for (Vec3& p : mesh.positions) {
    p = to_vec3(piece.centre + piece.stand * to_point(p).cwiseProduct(scale));
  }
  return mesh;
}

/// Constant velocity and spin, starting at the rest pose.
Motion tumbling(const std::vector<Piece>& pieces, std::size_t frames) {
  Motion motion{Timeline::uniform(frames, frames_per_second, "tumble"), pieces.size(), {}};
  motion.transforms.resize(frames * pieces.size());
  for (std::size_t t = 0; t < frames; ++t) {
    const double time = flight * double(t) / double(frames - 1);
    for (std::size_t j = 0; j < pieces.size(); ++j) {
      motion.frame(t)[j] = rigid(turn(pieces[j].spin * time, pieces[j].spin_axis), pieces[j].centre,
                                 pieces[j].centre + time * pieces[j].velocity);
    }
  }
  return motion;
}

void append(Mesh& whole, const Mesh& part) {
  const auto first = std::uint32_t(whole.vertices());
  const auto corners = std::uint32_t(whole.face_vertices.size());
  whole.positions.insert(whole.positions.end(), part.positions.begin(), part.positions.end());
  for (const std::uint32_t v : part.face_vertices) whole.face_vertices.push_back(first + v);
  if (whole.face_offsets.empty()) whole.face_offsets.push_back(0);
  for (std::size_t f = 1; f < part.face_offsets.size(); ++f) {
    whole.face_offsets.push_back(corners + part.face_offsets[f]);
  }
}

}  // namespace

Rig shells(const Options& options, std::size_t pieces) {
  check_ranges(options);
  if (pieces < 1 || pieces > options.vertices / fewest_per_piece) {
    throw Error(ErrorCode::bad_request, "synthetic::shells",
                fmt::format("{} pieces of {} vertices in all; ask for at least 1 piece and {} vertices per piece",
                            pieces, options.vertices, fewest_per_piece));
  }
  std::vector<Piece> all;
  double shares = 0;
  for (std::size_t j = 0; j < pieces; ++j) {
    all.push_back(random_piece(random_stream(options.seed, j), j, pieces));
    shares += all.back().share;
  }
  Rig rig;
  std::vector<Joint> joints;
  std::vector<std::uint32_t> bone_of_vertex;
  for (std::size_t j = 0; j < pieces; ++j) {
    // Divides what remains after the minimum of all pieces still to come, so that later pieces make up for rounding.
    const std::size_t taken = rig.vertices() + fewest_per_piece * (pieces - j);
    const std::size_t spare = options.vertices - std::min(options.vertices, taken);
    const double part = double(spare) * all[j].share / shares;
    shares -= all[j].share;
    append(rig.mesh, solid(all[j], fewest_per_piece + std::size_t(part)));
    bone_of_vertex.resize(rig.vertices(), std::uint32_t(j));
    joints.push_back({fmt::format("piece_{:03}", j), -1, all[j].centre});
  }
  rig.skeleton = make_skeleton(joints);
  rig.weights = rigid_weights(bone_of_vertex);
  rig.motion = tumbling(all, options.frames);
  return rig;
}

}  // namespace marrow::synthetic
