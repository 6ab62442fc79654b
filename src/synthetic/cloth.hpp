#pragma once

#include <functional>
#include <span>
#include <vector>

#include "synthetic/common.hpp"

namespace marrow::synthetic {

/// What acts on the cloth at a time, in seconds.
struct ClothWorld {
  /// Where the pinned points are that are at `rest` in the rest pose.
  std::function<void(std::span<const Point> rest, double time, std::span<Point> places)> pin;
  /// Speed of the air at the places.
  std::function<void(std::span<const Point> places, double time, std::span<Point> air)> wind;
  /// Moves places out of obstacles.
  std::function<void(double time, std::span<Point> places)> keep_out;
};

/// A grid of particles with springs, by position-based dynamics (Mueller et al. 2007) in small steps: along the grid
/// lines, across the cells, and over two cells against bending. Tethers (Kim, Chentanez, Mueller 2012) keep every
/// particle within its distance along the cloth from the pins, which the springs alone would reach only slowly.
/// Sequential: the result does not depend on threads.
class Cloth {
 public:
  /// `rest` row by row; its lengths are those of the springs.
  Cloth(std::size_t columns, std::size_t rows, std::vector<Point> rest, std::vector<bool> pinned);

  /// Puts all of the cloth where the pins would carry it: no jerk at the start, which would crumple it for good.
  void start(const ClothWorld& world, double time);
  void advance(const ClothWorld& world, double from, double to, int steps);
  std::span<const Point> places() const { return places_; }

 private:
  struct Spring {
    std::size_t a, b;
    double length, stiffness;
    double share_of_a;  // of a correction; 0 where a is pinned
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
