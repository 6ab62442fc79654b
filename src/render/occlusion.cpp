#include "render/occlusion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/parallel.hpp"
#include "render/raster.hpp"

namespace marrow {
namespace {

constexpr std::size_t directions = 40;

using Float3 = std::array<float, 3>;

float dot(const Float3& a, const Float3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Direction k of a Fibonacci spiral over the upper hemisphere.
Float3 spiral(std::size_t q) {
  const double y = (double(q) + 0.5) / directions;
  const double r = std::sqrt(1 - y * y), angle = 2 * std::numbers::pi * (2 - std::numbers::phi) * double(q);
  return {float(r * std::cos(angle)), float(y), float(r * std::sin(angle))};
}

/// Two unit vectors that complete n to an orthonormal frame, for n[1] >= 0 (Duff et al. 2017).
std::array<Float3, 2> frame_of(const Float3& n) {
  const float a = -1 / (1 + n[1]), b = n[0] * n[2] * a;
  return {Float3{1 + n[0] * n[0] * a, -n[0], b}, Float3{b, -n[2], 1 + n[2] * n[2] * a}};
}

}  // namespace

OcclusionMaps::OcclusionMaps(std::span<const Vec3> positions, Triangles triangles, int resolution)
    : resolution_(resolution), tolerance_(3 / float(resolution)) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 3> low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};
  for (const Vec3& p : positions) {
    const std::array<double, 3> v{p.x, p.y, p.z};
    for (std::size_t c = 0; c < 3; ++c) {
      low[c] = std::min(low[c], v[c]);
      high[c] = std::max(high[c], v[c]);
    }
  }
  double squares = 0;
  for (std::size_t r = 0; r < 3; ++r) {
    center_[r] = (low[r] + high[r]) / 2;
    squares += (high[r] - low[r]) * (high[r] - low[r]);
  }
  radius_ = squares > 0 ? std::sqrt(squares) / 2 : 1;

  std::vector<Unit> points(positions.size());
  std::ranges::transform(positions, points.begin(), [&](const Vec3& p) { return to_unit(p); });
  maps_.resize(directions);
  parallel_for({}, directions, 1, [&](std::size_t begin, std::size_t) {
    Map& map = maps_[begin];
    map.axis = spiral(begin);
    const auto frame = frame_of(map.axis);
    map.right = frame[0];
    map.up = frame[1];
    fill(map, points, triangles);
  });
}

OcclusionMaps::Unit OcclusionMaps::to_unit(const Vec3& p) const {
  return {float((p.x - center_[0]) / radius_), float((p.y - center_[1]) / radius_),
          float((p.z - center_[2]) / radius_)};
}

double OcclusionMaps::texel(float unit) const {
  return (0.5 + 0.5 * double(unit)) * resolution_;
}

void OcclusionMaps::fill(Map& map, std::span<const Unit> points, Triangles triangles) const {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  map.range.assign(std::size_t(resolution_) * std::size_t(resolution_), {infinity, -infinity});
  const auto add = [&](int x, int y, float depth) {
    auto& range = map.range[index(std::size_t(x), std::size_t(y))];
    range[0] = std::min(range[0], depth);
    range[1] = std::max(range[1], depth);
  };
  std::vector<ScreenPoint> screen(points.size());
  std::ranges::transform(points, screen.begin(), [&](const Unit& p) {
    return ScreenPoint{texel(dot(p, map.right)), texel(dot(p, map.up)), dot(p, map.axis)};
  });
  const Window all{0, 0, resolution_, resolution_};
  for (const auto& t : triangles) {
    const ScreenPoint &a = screen[t[0]], &b = screen[t[1]], &c = screen[t[2]];
    const double spread =
        std::max({std::abs(b.x - a.x), std::abs(b.y - a.y), std::abs(c.x - a.x), std::abs(c.y - a.y)});
    // Triangles smaller than a texel: many fill it, so that one corner stands for the triangle.
    if (spread < 0.7) {
      add(std::clamp(int(a.x), 0, resolution_ - 1), std::clamp(int(a.y), 0, resolution_ - 1), float(a.nearness));
    } else {
      rasterize({a, b, c}, all, {}, add);
    }
  }
}

bool OcclusionMaps::hidden(const Map& map, const Unit& p, float sign) const {
  const double x = texel(dot(p, map.right)), y = texel(dot(p, map.up));
  if (!(x >= 0 && x < resolution_ && y >= 0 && y < resolution_)) return false;
  const auto& range = map.range[index(std::size_t(x), std::size_t(y))];
  const float depth = dot(p, map.axis);
  return sign > 0 ? range[1] > depth + tolerance_ : range[0] < depth - tolerance_;
}

float OcclusionMaps::hidden_share(const Unit& p, const Unit& normal) const {
  // Moves off the surface, or it would hide itself at grazing angles.
  const Unit q{p[0] + tolerance_ * normal[0], p[1] + tolerance_ * normal[1], p[2] + tolerance_ * normal[2]};
  float all = 0, missing = 0;
  for (const Map& map : maps_) {
    const float cosine = dot(map.axis, normal);
    all += std::abs(cosine);
    if (hidden(map, q, cosine)) missing += std::abs(cosine);
  }
  return all > 0 ? missing / all : 0;
}

Openness OcclusionMaps::openness(std::span<const Vec3> positions, std::span<const Vec3> normals) const {
  Openness open{std::vector<float>(positions.size()), std::vector<float>(positions.size())};
  parallel_for({}, positions.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Unit p = to_unit(positions[i]);
      const Vec3& n = normals[i];
      open.front[i] = 1 - hidden_share(p, {n.x, n.y, n.z});
      open.back[i] = 1 - hidden_share(p, {-n.x, -n.y, -n.z});
    }
  });
  return open;
}

GroundShadow OcclusionMaps::ground_shadow(double height) const {
  constexpr std::size_t cells = GroundShadow::cells;
  constexpr double reach = 1.7;
  const auto level = float(std::clamp((height - center_[1]) / radius_, -1e6, 1e6));
  const auto at = [](std::size_t q) { return float(reach * (2.0 * double(q) / (cells - 1) - 1)); };
  std::vector<float> shade(cells * cells);
  parallel_for({}, cells, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      for (std::size_t column = 0; column < cells; ++column) {
        shade[row * cells + column] = hidden_share({at(column), level, at(row)}, {0, 1, 0});
      }
    }
  });
  return {height, center_[0], center_[2], reach * radius_, std::move(shade)};
}

GroundShadow::GroundShadow(double height, double x, double z, double reach, std::vector<float> shade)
    : height_(height), x_(x), z_(z), reach_(reach), shade_(std::move(shade)) {
  // Two passes of a box filter along each axis merge the shadows of single directions.
  constexpr std::ptrdiff_t width = 3;
  constexpr auto count = std::ptrdiff_t(cells);
  std::vector<float> source;
  for (int pass = 0; pass < 4; ++pass) {
    source = shade_;
    for (std::ptrdiff_t row = 0; row < count; ++row) {
      for (std::ptrdiff_t column = 0; column < count; ++column) {
        float sum = 0;
        for (std::ptrdiff_t d = -width; d <= width; ++d) {
          const std::ptrdiff_t c = std::clamp(column + d, std::ptrdiff_t(0), count - 1);
          sum += source[std::size_t(row * count + c)];
        }
        // Writes transposed: the next pass filters along the other axis.
        shade_[std::size_t(column * count + row)] = sum / float(2 * width + 1);
      }
    }
  }
}

float GroundShadow::at(double x, double z) const {
  const double u = (1 + (x - x_) / reach_) / 2 * (cells - 1);
  const double v = (1 + (z - z_) / reach_) / 2 * (cells - 1);
  if (!(u >= 0 && u < cells - 1 && v >= 0 && v < cells - 1)) return 0;
  const auto column = std::size_t(u), row = std::size_t(v);
  const auto fu = float(u - double(column)), fv = float(v - double(row));
  const float* s = shade_.data() + row * cells + column;
  const float value = (1 - fv) * ((1 - fu) * s[0] + fu * s[1]) + fv * ((1 - fu) * s[cells] + fu * s[cells + 1]);
  // Fades out towards the border of the map.
  const double border = std::min({u, v, cells - 1 - u, cells - 1 - v}) / (0.25 * cells);
  return value * float(std::min(1.0, border));
}

}  // namespace marrow
