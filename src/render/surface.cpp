#include "render/surface.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace marrow {
namespace {

constexpr Rgb clay{206, 188, 172};

struct Spot {
  Eigen::Vector3f normal;  // on the eye's side
  Eigen::Vector3f to_eye;  // unit
  Linear albedo;
  float open;
};

/// Light: sky with warm ground, a key over the viewer's left shoulder, a weak fill from the right, and a rim.
Linear light(const Spot& spot, const Eigen::Vector3f& up) {
  static const Eigen::Vector3f key = Eigen::Vector3f(-0.48F, 0.62F, 0.62F).normalized();
  static const Eigen::Vector3f fill = Eigen::Vector3f(0.85F, 0.05F, 0.52F).normalized();
  static const Linear sky(0.44F, 0.46F, 0.50F), ground(0.19F, 0.17F, 0.155F);
  static const Linear key_color(0.86F, 0.83F, 0.78F), fill_color(0.07F, 0.08F, 0.10F);

  const float height = 0.5F + 0.5F * spot.normal.dot(up);
  const Linear ambient = ground + height * (sky - ground);
  const float open = spot.open;
  // Brightens creases, as a second bounce of light would; the quadratic keeps open parts unchanged.
  const float creases = open * (1.35F - 0.35F * open);
  // The key is large: it wraps around edges, and deep creases receive less.
  const float lit = std::max(0.0F, (spot.normal.dot(key) + 0.12F) / 1.12F) * (0.45F + 0.55F * open);
  Linear out = spot.albedo * (ambient * creases + key_color * lit + fill_color * std::max(0.0F, spot.normal.dot(fill)));

  const Eigen::Vector3f half = (key + spot.to_eye).normalized();
  const float gloss = std::pow(std::max(0.0F, spot.normal.dot(half)), 28.0F);
  const float edge = 1 - std::clamp(spot.normal.dot(spot.to_eye), 0.0F, 1.0F);
  const float rim = edge * edge * edge * (0.35F + 0.65F * height) * open;
  out += sky * (0.10F * gloss * open + 0.20F * rim);
  return out;
}

/// Barycentric coordinates of the ray's intersection with the triangle's plane, clamped to the triangle.
Eigen::Vector3d meet(const std::array<Eigen::Vector3d, 3>& p, const Eigen::Vector3d& normal,
                     const Eigen::Vector3d& ray) {
  const double along = normal.dot(ray);
  const double squares = normal.squaredNorm();
  if (along == 0 || squares == 0) return Eigen::Vector3d::Constant(1.0 / 3);
  const Eigen::Vector3d hit = ray * (normal.dot(p[0]) / along);
  Eigen::Vector3d w;
  for (Eigen::Index c = 0; c < 3; ++c) {
    const Eigen::Vector3d &q = p[std::size_t((c + 1) % 3)], &r = p[std::size_t((c + 2) % 3)];
    w[c] = std::max(0.0, (r - q).cross(hit - q).dot(normal) / squares);
  }
  const double sum = w.sum();
  if (!(sum > 0 && std::isfinite(sum))) return Eigen::Vector3d::Constant(1.0 / 3);
  return w / sum;
}

/// Keeps edges sharp (boxes) where the smooth normal differs much from the face's.
Eigen::Vector3f corner_normal(const Eigen::Vector3f& smooth, const Eigen::Vector3f& flat) {
  constexpr float sharp = 0.6F;  // cosine of 53 degrees, just under a cube's corner
  return smooth.dot(flat) < sharp ? flat : smooth;
}

}  // namespace

Surface make_point_surface(const Camera& camera, std::span<const Vec3> positions, std::span<const Rgb> colors) {
  Surface surface;
  surface.positions.resize(positions.size());
  std::ranges::transform(positions, surface.positions.begin(), [&](const Vec3& p) { return camera.to_view(p); });
  surface.up = camera.turn(Eigen::Vector3d::UnitY()).cast<float>();
  if (colors.empty()) surface.albedo.push_back(to_linear(clay));
  for (const Rgb& c : colors) surface.albedo.push_back(to_linear(c));
  return surface;
}

Surface make_surface(const Camera& camera, const Mesh& mesh, std::span<const Vec3> positions,
                     std::span<const Rgb> colors, std::vector<std::array<std::uint32_t, 3>> triangles,
                     const OcclusionMaps& maps) {
  Surface surface = make_point_surface(camera, positions, colors);
  surface.triangles = std::move(triangles);
  const std::vector<Vec3> normals = vertex_normals(mesh, positions);
  surface.open = maps.openness(positions, normals);
  surface.normals.resize(normals.size());
  std::ranges::transform(normals, surface.normals.begin(), [&](const Vec3& n) {
    return Eigen::Vector3f(camera.turn(Eigen::Vector3d(n.x, n.y, n.z)).cast<float>());
  });
  return surface;
}

bool is_behind(const Surface& surface, std::size_t triangle) {
  const auto& v = surface.triangles[triangle];
  const Eigen::Vector3d &a = surface.positions[v[0]], &b = surface.positions[v[1]], &c = surface.positions[v[2]];
  // The eye is the origin: it is behind the plane if this is positive.
  return (b - a).cross(c - a).dot(a) > 0;
}

Linear shade_triangle(const Surface& surface, std::size_t triangle, const Eigen::Vector3d& ray) {
  const auto& corners = surface.triangles[triangle];
  const std::array<Eigen::Vector3d, 3> p{surface.positions[corners[0]], surface.positions[corners[1]],
                                         surface.positions[corners[2]]};
  const Eigen::Vector3d normal = (p[1] - p[0]).cross(p[2] - p[0]);
  const bool behind = is_behind(surface, triangle);
  const Eigen::Vector3d w = meet(p, normal, ray);

  const Eigen::Vector3f flat = normal.normalized().cast<float>();
  const std::vector<float>& open = behind ? surface.open.back : surface.open.front;
  Spot spot{Eigen::Vector3f::Zero(), -ray.normalized().cast<float>(), Linear::Zero(), 0};
  for (std::size_t c = 0; c < 3; ++c) {
    const auto weight = float(w[Eigen::Index(c)]);
    spot.normal += weight * corner_normal(surface.normals[corners[c]], flat);
    spot.albedo += weight * surface.albedo_of(corners[c]);
    spot.open += weight * open[corners[c]];
  }
  const float length = spot.normal.norm();
  spot.normal = length > 0 ? Eigen::Vector3f(spot.normal / length) : flat;
  if (behind) {
    spot.normal = -spot.normal;
    spot.albedo = 0.35F * spot.albedo + Linear(0.05F, 0.08F, 0.17F);
  }
  return light(spot, surface.up);
}

Linear shade_point(const Surface& surface, std::size_t vertex, const Eigen::Vector2f& offset) {
  const float squares = std::min(1.0F, offset.squaredNorm());
  const Eigen::Vector3f normal(offset.x(), offset.y(), std::sqrt(1 - squares));
  return light({normal, Eigen::Vector3f::UnitZ(), surface.albedo_of(vertex), 1.0F}, surface.up);
}

}  // namespace marrow
