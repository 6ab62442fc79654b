#pragma once

#include <functional>
#include <span>
#include <vector>

#include "synthetic/common.hpp"

namespace marrow::synthetic {

/// What acts on the cloth at a time (seconds).
struct ClothWorld {
  /// Writes the places of pinned points from their places in the rest pose.
  std::function<void(std::span<const Point> rest, double time, std::span<Point> places)> pin;
  /// Writes the velocity of the air at each place.
  std::function<void(std::span<const Point> places, double time, std::span<Point> air)> wind;
  /// Moves points out of obstacles.
  std::function<void(double time, std::span<Point> places)> keep_out;
};

/// A grid of particles with springs along the grid lines, across the cells, and over two cells against bending;
/// position-based dynamics (Mueller et al. 2007) in small steps. Tethers (Kim, Chentanez, Mueller 2012) limit the
/// distance of every particle to the pins along the cloth, which springs alone enforce slowly. Runs on one thread.
class Cloth {
 public:
  /// `rest`: points row by row; springs have their lengths at rest.
  Cloth(std::size_t columns, std::size_t rows, std::vector<Point> rest, std::vector<bool> pinned);

  /// Moves the whole cloth with the pins: a jerk at the start would crumple it for good.
  void start(const ClothWorld& world, double time);
  void advance(const ClothWorld& world, double from, double to, int steps);
  std::span<const Point> places() const { return places_; }

 private:
  struct Spring {
    std::size_t a, b;
    double length, stiffness;
    double share_of_a;  // share of a correction that moves a; 0 if a is pinned
  };
  struct Tether {
    std::size_t pin, particle;
    double length;
  };

  std::size_t at(std::size_t column, std::size_t row) const { return row * columns_ + column; }
  void add_springs();
  void add_tethers();
  Point normal(std::size_t column, std::size_t row) const;
  void apply_forces(double dt);
  void satisfy(const Spring& spring);
  void satisfy(const Tether& tether);
  void step(const ClothWorld& world, double time, double dt);

  std::size_t columns_, rows_;
  std::vector<Point> rest_, places_, velocities_, air_, normals_;
  std::vector<bool> pinned_;
  std::vector<Point> pinned_rest_, pinned_places_;
  std::vector<Spring> springs_;
  std::vector<Tether> tethers_;
  std::vector<Point> before_;  // scratch
};

}  // namespace marrow::synthetic
