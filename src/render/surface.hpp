#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "marrow/render.hpp"
#include "render/camera.hpp"
#include "render/color.hpp"
#include "render/occlusion.hpp"

namespace marrow {

/// Vertices in view space with all that shading needs.
struct Surface {
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< empty for a point cloud
  std::vector<Eigen::Vector3d> positions;
  std::vector<Eigen::Vector3f> normals;  ///< empty for a point cloud
  std::vector<Linear> albedo;            ///< one per vertex, or a single one for all
  Openness open;                         ///< empty for a point cloud
  Eigen::Vector3f up;                    ///< world up in view space

  const Linear& albedo_of(std::size_t vertex) const { return albedo.size() == 1 ? albedo[0] : albedo[vertex]; }
};

/// Surface of a mesh.
Surface make_surface(const Camera& camera, const Mesh& mesh, std::span<const Vec3> positions,
                     std::span<const Rgb> colors, std::vector<std::array<std::uint32_t, 3>> triangles,
                     const OcclusionMaps& maps);
/// Surface of a point cloud.
Surface make_point_surface(const Camera& camera, std::span<const Vec3> positions, std::span<const Rgb> colors);

/// Whether the eye sees the back of a triangle.
bool is_behind(const Surface& surface, std::size_t triangle);

/// Light from the point of a triangle that a camera ray meets. Back faces are darker and bluish.
Linear shade_triangle(const Surface& surface, std::size_t triangle, const Eigen::Vector3d& ray);

/// Light from a point drawn as a small ball. `offset` from its centre in radii, x right, y up.
Linear shade_point(const Surface& surface, std::size_t vertex, const Eigen::Vector2f& offset);

}  // namespace marrow
