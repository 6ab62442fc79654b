#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "synthetic/common.hpp"

namespace marrow::synthetic {

/// A ball that a limb passes through.
struct Node {
  Point place;
  double radius;
};

/// A smooth tube through its nodes, with rounded ends.
struct Limb {
  std::vector<Node> nodes;
  double narrowing = 1;  ///< at least 1: how much thinner than high the cross-section is along x, about the plane x = 0
};

/// A body as the level 0 of a function, negative inside: the smooth union of its limbs.
///
/// Each limb's function is the distance to the nearest of its short capsules. The union is the soft minimum
/// -blend log sum_l exp(-d_l / blend), which leaves the limbs as they are where they are alone and rounds the creases
/// where they meet.
class Body {
 public:
  /// Indices of capsules, ascending.
  using Parts = std::vector<std::uint32_t>;

  Body(std::span<const Limb> limbs, double blend);

  Parts all_parts() const;
  /// The function at a point. `parts` must hold what narrow() leaves for a ball around it: then the value is to the bit
  /// the same as with all parts.
  double value(double x, double y, double z, const Parts& parts) const;
  /// Keeps in `kept` the parts of `parts` that matter inside the ball, and returns the value at its centre.
  double narrow(const Point& centre, double radius, const Parts& parts, Parts& kept) const;

  /// The function changes by at most this much per unit of length.
  double steepest() const { return steepest_; }
  /// Area of the limbs, counting what lies inside of others: an upper estimate of the surface.
  double limb_area() const { return limb_area_; }
  const Point& low() const { return low_; }
  const Point& high() const { return high_; }

 private:
  struct Capsule {
    double x, y, z;     // one end
    double ax, ay, az;  // to the other
    double inverse_length2;
    double radius, radius_change;
    double narrowing;
    std::uint32_t limb;
  };
  static constexpr std::size_t most_limbs = 16;
  using LimbDistances = std::array<double, most_limbs>;

  void add_capsule(const Node& a, const Node& b, double narrowing, std::uint32_t limb);
  static double distance(const Capsule& capsule, double px, double py, double pz);
  double soft_minimum(const LimbDistances& distances) const;

  std::vector<Capsule> capsules_;
  std::size_t limbs_ = 0;
  double blend_;
  double steepest_ = 1;
  double limb_area_ = 0;
  Point low_, high_;
};

/// A closed surface of the body with about `vertices` vertices: quads on a regular grid where there are many,
/// simplified to triangles where there are few. One piece without handles (the body must be that), every edge between
/// two faces, seen counter-clockwise from outside.
Mesh mesh_body(const Body& body, std::size_t vertices);

}  // namespace marrow::synthetic
