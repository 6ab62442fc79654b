#include "render/marks.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "render/color.hpp"
#include "render/image.hpp"

namespace marrow {
namespace {

using Point = Eigen::Vector2d;

/// A bone in the picture. Lengths in pixels.
struct Shape {
  Point from, to;
  double half_width;  // half width at the thickest point
  double ball;        // radius of the joint
  double nearness;
  Rgb color;
};

/// Scale of the marks: 1 for a picture of 720 rows.
struct Sizes {
  explicit Sizes(const Image& image) : unit(std::max(0.6, std::min(image.width, image.height) / 720.0)) {}
  double unit;
  double outline() const { return 1.3 * unit; }
};

double segment_distance(const Point& p, const Point& a, const Point& b) {
  const Point ab = b - a;
  const double squares = ab.squaredNorm();
  const double t = squares > 0 ? std::clamp((p - a).dot(ab) / squares, 0.0, 1.0) : 0.0;
  return (p - a - t * ab).norm();
}

/// An octahedral bone seen from the side: from, left, to, right.
struct Kite {
  Point from, left, to, right;

  explicit Kite(const Shape& s) : from(s.from), to(s.to) {
    const Point along = (s.to - s.from).normalized(), across(-along.y(), along.x());
    const Point thick = s.from + 0.18 * (s.to - s.from);
    left = thick + s.half_width * across;
    right = thick - s.half_width * across;
  }
  /// Negative inside.
  double distance(const Point& p) const {
    const double d = std::min({segment_distance(p, from, left), segment_distance(p, left, to),
                               segment_distance(p, to, right), segment_distance(p, right, from)});
    return inside(p) ? -d : d;
  }
  bool inside(const Point& p) const {
    const auto turns = [&](const Point& a, const Point& b) {
      return (b.x() - a.x()) * (p.y() - a.y()) - (b.y() - a.y()) * (p.x() - a.x()) <= 0;
    };
    return turns(from, left) && turns(left, to) && turns(to, right) && turns(right, from);
  }
};

float coverage(double distance) {
  return float(std::clamp(0.5 - distance, 0.0, 1.0));
}

Rgb scaled(Rgb color, float factor) {
  return to_rgb(Linear(to_linear(color) * factor));
}

Rgb mixed(Rgb a, Rgb b, float share) {
  return to_rgb(Linear(to_linear(a) * (1 - share) + to_linear(b) * share));
}

Rgb lightened(Rgb color, float share) {
  return mixed(color, {255, 255, 255}, share);
}

/// Calls paint(x, y, pixel centre) for the box around two points.
template <class Paint>
void for_pixels(const Image& image, const Point& a, const Point& b, double around, Paint&& paint) {
  const Point low = a.cwiseMin(b).array() - around - 1, high = a.cwiseMax(b).array() + around + 1;
  const auto cell = [](double v, int end) { return int(std::clamp<double>(v, 0, end)); };
  for (int y = cell(low.y(), image.height); y < cell(high.y() + 1, image.height); ++y) {
    for (int x = cell(low.x(), image.width); x < cell(high.x() + 1, image.width); ++x) {
      paint(x, y, Point(x + 0.5, y + 0.5));
    }
  }
}

void draw_kite(const Shape& shape, const Sizes& sizes, Image& image) {
  const Kite kite(shape);
  const Rgb dark = scaled(shape.color, 0.10F), bright = lightened(shape.color, 0.25F),
            shaded = scaled(shape.color, 0.62F);
  // The half that faces up and left is bright, as on the surface.
  Point across = (kite.left - kite.right).normalized();
  if (across.dot(Point(-0.6, -0.8)) < 0) across = -across;
  for_pixels(image, shape.from, shape.to, shape.half_width + sizes.outline(), [&](int x, int y, const Point& p) {
    const double d = kite.distance(p);
    if (d > sizes.outline() + 1) return;
    blend(image, x, y, dark, coverage(d - sizes.outline()));
    const float bright_share = coverage(-across.dot(p - shape.from));
    blend(image, x, y, mixed(shaded, bright, bright_share), coverage(d));
  });
}

void draw_ball(const Point& at, double radius, Rgb color, const Sizes& sizes, Image& image) {
  const Rgb dark = scaled(color, 0.10F);
  const Point shine = at - Point(0.3, 0.35) * radius;
  for_pixels(image, at, at, radius + sizes.outline(), [&](int x, int y, const Point& p) {
    const double d = (p - at).norm() - radius;
    if (d > sizes.outline() + 1) return;
    blend(image, x, y, dark, coverage(d - sizes.outline()));
    const auto glow = float(std::max(0.0, 1 - (p - shine).norm() / radius));
    blend(image, x, y, lightened(color, 0.7F * glow), coverage(d));
  });
}

}  // namespace

void draw_marks(std::span<const BoneMark> bones, const Camera& camera, Image& image) {
  const Sizes sizes(image);
  std::vector<Shape> shapes;
  for (const BoneMark& bone : bones) {
    const Eigen::Vector3d from = camera.to_view(bone.from), to = camera.to_view(bone.to);
    if (!camera.in_front(from) || !camera.in_front(to)) continue;
    const ScreenPoint p = camera.project(from), q = camera.project(to);
    const double length = (to - from).norm() * camera.focal() / -from.z();
    const double half_width = std::clamp(0.09 * length, 2.0 * sizes.unit, 9.0 * sizes.unit);
    const double ball =
        bone.from == bone.to ? 5.5 * sizes.unit : std::clamp(0.75 * half_width, 2.2 * sizes.unit, 5.0 * sizes.unit);
    shapes.push_back({{p.x, p.y}, {q.x, q.y}, half_width, ball, (p.nearness + q.nearness) / 2, bone.color});
  }
  std::ranges::stable_sort(shapes, {}, &Shape::nearness);
  for (const Shape& shape : shapes) {
    // A bone that points at the eye shows only its joint.
    if ((shape.to - shape.from).norm() > shape.ball) draw_kite(shape, sizes, image);
  }
  for (const Shape& shape : shapes) draw_ball(shape.from, shape.ball, shape.color, sizes, image);
}

}  // namespace marrow
