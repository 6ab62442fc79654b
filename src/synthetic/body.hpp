#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "synthetic/common.hpp"

namespace marrow::synthetic {

/// A ball on the axis of a limb.
struct Node {
  Point place;
  double radius;
};

/// A smooth tube through its nodes with rounded ends.
struct Limb {
  std::vector<Node> nodes;
  double narrowing =
      1;  ///< at least 1: ratio of the cross-section's height to its width along x, about the plane x = 0
};

/// A body as the zero level of a function that is negative inside: the smooth union of its limbs.
///
/// The function of a limb is the distance to its nearest capsule. The union is the soft minimum -blend log sum_l
/// exp(-d_l / blend): it changes limbs only where they meet, and rounds the creases there.
class Body {
 public:
  /// Indices of capsules, ascending.
  using Parts = std::vector<std::uint32_t>;

  Body(std::span<const Limb> limbs, double blend);

  Parts all_parts() const;
  /// Function value at a point. If `parts` is what narrow() keeps for a ball around it, the value has the same bits as
  /// with all parts.
  double value(double x, double y, double z, const Parts& parts) const;
  /// Writes to `kept` those of `parts` that matter inside the ball; returns the value at its centre.
  double narrow(const Point& centre, double radius, const Parts& parts, Parts& kept) const;

  /// Lipschitz constant of the function.
  double steepest() const { return steepest_; }
  /// Total area of the limbs, including overlaps: an upper estimate of the surface.
  double limb_area() const { return limb_area_; }
  const Point& low() const { return low_; }
  const Point& high() const { return high_; }

 private:
  struct Capsule {
    double x, y, z;     // one end
    double ax, ay, az;  // vector to the other end
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

/// A closed surface of the body with about `vertices` vertices: quads on a regular grid if there are many, triangles
/// simplified from such a grid if few. One piece without handles (as the body must be), every edge between two faces,
/// faces counter-clockwise seen from outside.
Mesh mesh_body(const Body& body, std::size_t vertices);

}  // namespace marrow::synthetic
