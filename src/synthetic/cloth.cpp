#include "synthetic/cloth.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <utility>

namespace marrow::synthetic {
namespace {

constexpr double along_grid = 1, across_cell = 0.5, against_bending = 0.2;  // stiffness per step, 0 to 1
constexpr double air_drag = 2.2;  // 1/s: acceleration per speed of the air normal to the cloth
constexpr double damping = 1;     // 1/s: relative loss of speed
constexpr double slack = 1.01;    // tether length relative to the rest distance

}  // namespace

Cloth::Cloth(std::size_t columns, std::size_t rows, std::vector<Point> rest, std::vector<bool> pinned)
    : columns_(columns),
      rows_(rows),
      rest_(std::move(rest)),
      places_(rest_),
      velocities_(rest_.size(), Point::Zero()),
      air_(rest_.size(), Point::Zero()),
      normals_(rest_.size(), Point::Zero()),
      pinned_(std::move(pinned)),
      before_(rest_.size()) {
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    if (pinned_[i]) pinned_rest_.push_back(rest_[i]);
  }
  pinned_places_ = pinned_rest_;
  add_springs();
  add_tethers();
}

void Cloth::add_springs() {
  const auto add = [&](std::size_t a, std::size_t b, double stiffness) {
    const double share_of_a = pinned_[a] ? 0 : (pinned_[b] ? 1 : 0.5);
    if (!pinned_[a] || !pinned_[b]) springs_.push_back({a, b, (rest_[a] - rest_[b]).norm(), stiffness, share_of_a});
  };
  // Row by row downwards from the pins: one pass carries their pull all the way.
  for (std::size_t r = 0; r < rows_; ++r) {
    for (std::size_t c = 0; c < columns_; ++c) {
      if (r > 0) add(at(c, r - 1), at(c, r), along_grid);
      if (c > 0) add(at(c - 1, r), at(c, r), along_grid);
      if (r > 0 && c > 0) {
        add(at(c - 1, r - 1), at(c, r), across_cell);
        add(at(c, r - 1), at(c - 1, r), across_cell);
      }
      if (r > 1) add(at(c, r - 2), at(c, r), against_bending);
      if (c > 1) add(at(c - 2, r), at(c, r), against_bending);
    }
  }
}

void Cloth::add_tethers() {
  std::vector<std::size_t> pins;
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    if (pinned_[i]) pins.push_back(i);
  }
  // The resting cloth is nearly flat: straight distances stand for distances along it.
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    if (pinned_[i]) continue;
    Tether best{0, i, std::numeric_limits<double>::infinity()};
    for (const std::size_t pin : pins) {
      const double length = slack * (rest_[pin] - rest_[i]).norm();
      if (length < best.length) best = {pin, i, length};
    }
    tethers_.push_back(best);
  }
}

Point Cloth::normal(std::size_t column, std::size_t row) const {
  const std::size_t left = column > 0 ? column - 1 : 0, right = std::min(column + 1, columns_ - 1);
  const std::size_t up = row > 0 ? row - 1 : 0, down = std::min(row + 1, rows_ - 1);
  const Point n =
      (places_[at(right, row)] - places_[at(left, row)]).cross(places_[at(column, down)] - places_[at(column, up)]);
  const double length = n.norm();
  return length > 0 ? Point(n / length) : Point::Zero();
}

void Cloth::apply_forces(double dt) {
  const Point gravity(0, -9.81, 0);
  const double kept = std::exp(-damping * dt);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    // Air acts along the normal only.
    const double push = dt * air_drag * normals_[i].dot(air_[i] - velocities_[i]);
    velocities_[i] = kept * (velocities_[i] + dt * gravity + push * normals_[i]);
  }
}

void Cloth::satisfy(const Spring& spring) {
  double *a = places_[spring.a].data(), *b = places_[spring.b].data();
  const double x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2], length = std::sqrt(x * x + y * y + z * z);
  if (length == 0) return;
  const double correction = spring.stiffness * (length - spring.length) / length;
  const double of_a = correction * spring.share_of_a, of_b = correction - of_a;
  a[0] += of_a * x, a[1] += of_a * y, a[2] += of_a * z;
  b[0] -= of_b * x, b[1] -= of_b * y, b[2] -= of_b * z;
}

void Cloth::satisfy(const Tether& tether) {
  const Point offset = places_[tether.particle] - places_[tether.pin];
  const double length = offset.norm();
  if (length > tether.length) places_[tether.particle] = places_[tether.pin] + tether.length / length * offset;
}

void Cloth::step(const ClothWorld& world, double time, double dt) {
  apply_forces(dt);
  before_ = places_;
  world.pin(pinned_rest_, time + dt, pinned_places_);
  auto next_pin = pinned_places_.begin();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (pinned_[i]) {
      places_[i] = *next_pin++;
    } else {
      places_[i] += dt * velocities_[i];
    }
  }
  for (const Tether& tether : tethers_) satisfy(tether);
  for (const Spring& spring : springs_) satisfy(spring);
  world.keep_out(time + dt, places_);
  for (std::size_t i = 0; i < places_.size(); ++i) velocities_[i] = (places_[i] - before_[i]) / dt;
}

void Cloth::start(const ClothWorld& world, double time) {
  world.pin(rest_, time, places_);
}

void Cloth::advance(const ClothWorld& world, double from, double to, int steps) {
  const double dt = (to - from) / steps;
  // Wind and normals change slowly: update them once per call.
  world.wind(places_, from, air_);
  for (std::size_t r = 0; r < rows_; ++r) {
    for (std::size_t c = 0; c < columns_; ++c) normals_[at(c, r)] = normal(c, r);
  }
  for (int s = 0; s < steps; ++s) step(world, from + s * dt, dt);
}

}  // namespace marrow::synthetic
