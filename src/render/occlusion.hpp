#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "marrow/math.hpp"

namespace marrow {

using Triangles = std::span<const std::array<std::uint32_t, 3>>;

/// Share of the sky that each vertex sees, 0 to 1, on the side of its normal (front) and on the other (back).
struct Openness {
  std::vector<float> front, back;
};

/// The ambient shadow of a mesh on the ground.
class GroundShadow {
 public:
  static constexpr std::size_t cells = 144;

  /// `shade`: grid over the square of half width `reach` around (x, z).
  GroundShadow(double height, double x, double z, double reach, std::vector<float> shade);
  double height() const { return height_; }
  /// Share of the sky that is hidden from a point of the ground; 0 outside the square.
  float at(double x, double z) const;

 private:
  double height_, x_, z_, reach_;
  std::vector<float> shade_;  // cells x cells, rows along x
};

/// Depth maps of a mesh from directions over the sphere. Each map serves its direction and the opposite one.
class OcclusionMaps {
 public:
  /// `resolution`: texels along a side of a map.
  OcclusionMaps(std::span<const Vec3> positions, Triangles triangles, int resolution);

  Openness openness(std::span<const Vec3> positions, std::span<const Vec3> normals) const;
  GroundShadow ground_shadow(double height) const;

 private:
  /// Nearest and farthest surface per texel along `axis`.
  struct Map {
    std::array<float, 3> right, up, axis;
    std::vector<std::array<float, 2>> range;
  };
  using Unit = std::array<float, 3>;  // a point, with the mesh's bounding sphere scaled to 1

  Unit to_unit(const Vec3& p) const;
  /// Texel coordinate of a coordinate in the map's plane.
  double texel(float unit) const;
  std::size_t index(std::size_t x, std::size_t y) const { return y * std::size_t(resolution_) + x; }
  /// Whether a surface hides the sky from p along the map's axis (sign 1) or against it (sign -1).
  bool hidden(const Map& map, const Unit& p, float sign) const;
  void fill(Map& map, std::span<const Unit> points, Triangles triangles) const;
  /// Hidden share of the sky at a point facing `normal`, weighted by the cosine.
  float hidden_share(const Unit& p, const Unit& normal) const;

  int resolution_;
  float tolerance_;  // in radii: nearer surfaces count as the point's own and hide nothing
  std::array<double, 3> center_{};
  double radius_ = 1;
  std::vector<Map> maps_;
};

}  // namespace marrow
