#include "render/bands.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/parallel.hpp"
#include "render/raster.hpp"

namespace marrow {
namespace {

/// Samples per pixel along each axis. With the shifts below, nine samples lie in nine different columns and rows, so
/// that edges of any slope get nine levels.
constexpr int fine = 3;
constexpr SamplePattern pattern{{-SamplePattern::reach, 0, SamplePattern::reach}};
constexpr int band_rows = 32;
constexpr float far_away = 1e9F;  // in samples
constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

/// Rows of samples that a primitive may cover.
struct Extent {
  float top, bottom;
};

/// The scene projected to the grid of samples.
struct Projection {
  std::vector<ScreenPoint> points;  // of vertices in front of the camera
  std::vector<bool> in_front;
  std::vector<Extent> extents;  // of triangles, or of points if there are none
  double point_radius = 0;      // in samples
  // Range of the points' nearness.
  double nearest = 0, farthest = std::numeric_limits<double>::infinity();
  float wire_strength = 0;
  double wire_width = 0;  // in samples
};

struct Band {
  Window window;
  std::vector<float> nearness;
  std::vector<std::uint32_t> id;  // triangle or point
  std::vector<std::uint8_t> wire;

  std::size_t index(int x, int y) const {
    return std::size_t(y - window.top) * std::size_t(window.right) + std::size_t(x);
  }
  void put(int x, int y, float near, std::uint32_t what) {
    const std::size_t pixel = index(x, y);
    if (near <= nearness[pixel]) return;
    nearness[pixel] = near;
    id[pixel] = what;
  }
};

ScreenPoint to_samples(const ScreenPoint& p) {
  return {fine * p.x, fine * p.y, p.nearness};
}

/// Opacity of wires: lower on dense meshes, or wires would hide the shading.
float wire_strength(const Scene& scene, const Projection& projection) {
  std::vector<double> lengths;
  for (const auto& [a, b] : scene.wires) {
    if (!projection.in_front[a] || !projection.in_front[b]) continue;
    const ScreenPoint &p = projection.points[a], &q = projection.points[b];
    lengths.push_back(std::hypot(q.x - p.x, q.y - p.y) / fine);
  }
  if (lengths.empty()) return 0;
  const auto middle = lengths.begin() + std::ptrdiff_t(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  return float(std::clamp(*middle / 14, 0.2, 0.8));
}

Projection project(const Scene& scene, const Image& image) {
  const Surface& surface = scene.surface;
  const std::size_t vertices = surface.positions.size();
  Projection out;
  out.points.resize(vertices);
  out.in_front.resize(vertices);
  for (std::size_t i = 0; i < vertices; ++i) {
    out.in_front[i] = scene.camera.in_front(surface.positions[i]);
    if (!out.in_front[i]) continue;
    out.points[i] = to_samples(scene.camera.project(surface.positions[i]));
    out.nearest = std::max(out.nearest, out.points[i].nearness);
    out.farthest = std::min(out.farthest, out.points[i].nearness);
  }
  const double area = 1.0 * image.width * image.height;
  const double side = std::min(image.width, image.height);
  // Points cover about half of a picture that they fill.
  out.point_radius = fine * std::clamp(std::sqrt(0.15 * area / double(vertices + 1)), 1.1, side / 120 + 1);
  out.wire_width = fine * std::max(0.8, side / 800);
  out.wire_strength = wire_strength(scene, out);

  const auto extent = [&](std::initializer_list<std::uint32_t> corners, double around) {
    Extent e{far_away, -far_away};
    for (const std::uint32_t v : corners) {
      // A primitive that reaches behind the camera may cover any row.
      if (!out.in_front[v]) return Extent{-far_away, far_away};
      const double y = std::clamp<double>(out.points[v].y, -far_away, far_away);
      e.top = std::min(e.top, float(y - around));
      e.bottom = std::max(e.bottom, float(y + around));
    }
    return e;
  };
  if (surface.triangles.empty()) {
    for (std::uint32_t i = 0; i < vertices; ++i) out.extents.push_back(extent({i}, out.point_radius + 1));
  } else {
    for (const auto& t : surface.triangles) out.extents.push_back(extent({t[0], t[1], t[2]}, 1));
  }
  return out;
}

bool touches(const Extent& e, const Window& window) {
  return e.bottom >= float(window.top) && e.top <= float(window.bottom);
}

/// Clips a polygon at the camera's near plane (Sutherland-Hodgman).
std::vector<Eigen::Vector3d> cut_near(const Camera& camera, std::span<const Eigen::Vector3d> polygon) {
  std::vector<Eigen::Vector3d> out;
  for (std::size_t e = 0; e < polygon.size(); ++e) {
    const Eigen::Vector3d &a = polygon[e], &b = polygon[(e + 1) % polygon.size()];
    if (camera.in_front(a)) out.push_back(a);
    if (camera.in_front(a) == camera.in_front(b)) continue;
    Eigen::Vector3d cut = a + (-camera.near_distance() - a.z()) / (b.z() - a.z()) * (b - a);
    cut.z() = -camera.near_distance();
    out.push_back(cut);
  }
  return out;
}

void draw_triangle(const Scene& scene, const Projection& projection, std::uint32_t t, Band& band) {
  const auto& v = scene.surface.triangles[t];
  // In thin parts, back faces may lie slightly in front: moves them back by a pixel or two.
  const auto setback = float(is_behind(scene.surface, t) ? 1 - 1.5 / scene.camera.focal() : 1.0);
  const auto put = [&](int x, int y, float near) { band.put(x, y, setback * near, t); };
  if (projection.in_front[v[0]] && projection.in_front[v[1]] && projection.in_front[v[2]]) {
    const auto& p = projection.points;
    rasterize({p[v[0]], p[v[1]], p[v[2]]}, band.window, pattern, put);
    return;
  }
  const std::array<Eigen::Vector3d, 3> corners{scene.surface.positions[v[0]], scene.surface.positions[v[1]],
                                               scene.surface.positions[v[2]]};
  const std::vector<Eigen::Vector3d> visible = cut_near(scene.camera, corners);
  const auto at = [&](std::size_t pixel) { return to_samples(scene.camera.project(visible[pixel])); };
  for (std::size_t e = 2; e < visible.size(); ++e) rasterize({at(0), at(e - 1), at(e)}, band.window, pattern, put);
}

void draw_point(const Projection& projection, std::uint32_t v, Band& band) {
  if (!projection.in_front[v]) return;
  const ScreenPoint& p = projection.points[v];
  const double radius = projection.point_radius;
  const Window& w = band.window;
  const auto cell = [](double x, int low, int high) { return int(std::clamp<double>(x, low, high)); };
  for (int y = cell(p.y - radius - 1, w.top, w.bottom); y < cell(p.y + radius + 2, w.top, w.bottom); ++y) {
    for (int x = cell(p.x - radius - 1, w.left, w.right); x < cell(p.x + radius + 2, w.left, w.right); ++x) {
      const double dx = pattern.x(x, y) - p.x, dy = pattern.y(x, y) - p.y;
      if (dx * dx + dy * dy <= radius * radius) band.put(x, y, float(p.nearness), v);
    }
  }
}

/// Draws a wire as a thin quad along the edge, moved a few pixels towards the eye so that its own faces do not hide it.
void draw_wire(const Scene& scene, const Projection& projection, const std::array<std::uint32_t, 2>& wire, Band& band) {
  if (!projection.in_front[wire[0]] || !projection.in_front[wire[1]]) return;
  ScreenPoint a = projection.points[wire[0]], b = projection.points[wire[1]];
  const double half = projection.wire_width / 2;
  const Extent extent{float(std::min(a.y, b.y) - half - 1), float(std::max(a.y, b.y) + half + 1)};
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  if (!touches(extent, band.window) || !(length > 0)) return;
  const double lift = 1 + 3 / scene.camera.focal();
  a.nearness *= lift;
  b.nearness *= lift;
  const double nx = -(b.y - a.y) / length * half, ny = (b.x - a.x) / length * half;
  const std::array<ScreenPoint, 4> quad{ScreenPoint{a.x - nx, a.y - ny, a.nearness},
                                        {a.x + nx, a.y + ny, a.nearness},
                                        {b.x + nx, b.y + ny, b.nearness},
                                        {b.x - nx, b.y - ny, b.nearness}};
  const auto mark = [&](int x, int y, float near) {
    const std::size_t pixel = band.index(x, y);
    if (near >= band.nearness[pixel]) band.wire[pixel] = 1;
  };
  rasterize({quad[0], quad[1], quad[2]}, band.window, pattern, mark);
  rasterize({quad[0], quad[2], quad[3]}, band.window, pattern, mark);
}

Linear shade(const Scene& scene, const Projection& projection, std::uint32_t id, double x, double y, Rgb background) {
  if (!scene.surface.triangles.empty()) {
    return shade_triangle(scene.surface, id, scene.camera.ray(x / fine, y / fine));
  }
  const ScreenPoint& p = projection.points[id];
  const Eigen::Vector2d offset = Eigen::Vector2d(x - p.x, p.y - y) / projection.point_radius;
  const Linear color = shade_point(scene.surface, id, offset.cast<float>());
  // Points hide each other poorly: haze separates near from far.
  const double depth = projection.nearest - projection.farthest;
  const auto haze = float(depth > 0 ? 0.35 * (projection.nearest - p.nearness) / depth : 0);
  return color + haze * (to_linear(background) - color);
}

/// Share of the background's light that is left where the pixel's ray meets the ground.
float ground_light(const Scene& scene, double x, double y) {
  if (scene.shadow == nullptr) return 1;
  const Eigen::Vector3d eye = scene.camera.to_world(Eigen::Vector3d::Zero());
  const Eigen::Vector3d ray = scene.camera.to_world(scene.camera.ray(x, y)) - eye;
  const double distance = (scene.shadow->height() - eye.y()) / ray.y();
  // Rays along the ground or away from it do not meet it.
  if (!(distance > 0) || ray.y() > -0.02 * ray.norm()) return 1;
  return 1 - 0.85F * scene.shadow->at(eye.x() + distance * ray.x(), eye.z() + distance * ray.z());
}

/// Mean light over the samples of a pixel. Consecutive samples of one triangle are shaded once.
Rgb resolve(const Scene& scene, const Projection& projection, const Band& band, int px, int py, Rgb background) {
  Linear sum = Linear::Zero();
  std::optional<Linear> empty;
  std::uint32_t last = nothing;
  Linear lit = Linear::Zero();
  for (int sy = fine * py; sy < fine * (py + 1); ++sy) {
    for (int sx = fine * px; sx < fine * (px + 1); ++sx) {
      const std::size_t pixel = band.index(sx, sy);
      Linear color;
      if (band.id[pixel] == nothing) {
        if (!empty) empty = to_linear(background) * ground_light(scene, px + 0.5, py + 0.5);
        color = *empty;
      } else {
        if (band.id[pixel] != last)
          lit = shade(scene, projection, band.id[pixel], pattern.x(sx, sy), pattern.y(sx, sy), background);
        last = band.id[pixel];
        color = lit;
      }
      if (band.wire[pixel] != 0) color += projection.wire_strength * (Linear(0.012F, 0.014F, 0.02F) - color);
      sum += color;
    }
  }
  return to_rgb(Linear(sum / float(fine * fine)));
}

void draw_band(const Scene& scene, const Projection& projection, int top, int bottom, Rgb background, Image& image) {
  Band band{{0, fine * top, fine * image.width, fine * bottom}, {}, {}, {}};
  const std::size_t samples = std::size_t(fine * (bottom - top)) * std::size_t(band.window.right);
  band.nearness.assign(samples, 0);
  band.id.assign(samples, nothing);
  band.wire.assign(samples, 0);
  for (std::uint32_t e = 0; e < projection.extents.size(); ++e) {
    if (!touches(projection.extents[e], band.window)) continue;
    if (scene.surface.triangles.empty()) {
      draw_point(projection, e, band);
    } else {
      draw_triangle(scene, projection, e, band);
    }
  }
  for (const auto& wire : scene.wires) draw_wire(scene, projection, wire, band);
  for (int y = top; y < bottom; ++y) {
    for (int x = 0; x < image.width; ++x) {
      image.pixels[std::size_t(y) * std::size_t(image.width) + std::size_t(x)] =
          resolve(scene, projection, band, x, y, background);
    }
  }
}

}  // namespace

void draw_scene(const Scene& scene, Rgb background, Image& image) {
  const Projection projection = project(scene, image);
  parallel_for({}, std::size_t(image.height), band_rows, [&](std::size_t begin, std::size_t end) {
    draw_band(scene, projection, int(begin), int(end), background, image);
  });
}

}  // namespace marrow
