#include "marrow/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/check.hpp"
#include "render/bands.hpp"
#include "render/image.hpp"
#include "render/marks.hpp"

namespace marrow {
namespace {

constexpr const char* where = "render";

void check_points(std::span<const Vec3> points, const char* field) {
  const std::size_t bad = first_not_finite(points);
  require(bad == points.size(), where, [&] { return fmt::format("{}[{}] is not finite", field, bad); });
}

std::vector<Vec3> ends_of(std::span<const BoneMark> bones) {
  std::vector<Vec3> ends;
  for (const BoneMark& bone : bones) {
    ends.push_back(bone.from);
    ends.push_back(bone.to);
  }
  return ends;
}

void check(const Mesh& mesh, std::span<const Vec3> positions, std::span<const Rgb> colors,
           std::span<const Vec3> frame_around) {
  validate(mesh);
  require(positions.size() == mesh.vertices(), where,
          [&] { return fmt::format("{} positions for a mesh of {} vertices", positions.size(), mesh.vertices()); });
  require(colors.empty() || colors.size() == positions.size(), where, [&] {
    return fmt::format("{} colors for {} vertices: give one for each, or none", colors.size(), positions.size());
  });
  check_points(positions, "positions");
  check_points(frame_around, "frame_around");
}

}  // namespace

Image render(const Mesh& mesh, std::span<const Vec3> positions, std::span<const Rgb> colors,
             std::span<const BoneMark> bones, const RenderOptions& options, std::span<const Vec3> frame_around) {
  check(mesh, positions, colors, frame_around);
  const std::vector<Vec3> ends = ends_of(bones);
  check_points(ends, "bones (two points each)");
  Image image = make_image(options.width, options.height, options.background, where);

  const std::span<const Vec3> framed = !frame_around.empty() ? frame_around : positions.empty() ? ends : positions;
  const Camera camera(options, framed);
  if (mesh.faces() == 0) {
    const Surface cloud = make_point_surface(camera, positions, colors);
    draw_scene({camera, cloud, {}, nullptr}, options.background, image);
  } else {
    auto faces = triangles(mesh);
    // Shadows are soft: a third of the picture's resolution suffices, up to 320 texels.
    const OcclusionMaps maps(positions, faces, std::clamp(std::max(options.width, options.height) / 3, 48, 320));
    std::optional<GroundShadow> shadow;
    if (options.ground) shadow = maps.ground_shadow(std::ranges::min(framed, {}, &Vec3::y).y);
    const Surface surface = make_surface(camera, mesh, positions, colors, std::move(faces), maps);
    const auto wires = options.wireframe ? edges(mesh) : std::vector<std::array<std::uint32_t, 2>>{};
    draw_scene({camera, surface, wires, shadow ? &*shadow : nullptr}, options.background, image);
  }
  draw_marks(bones, camera, image);
  return image;
}

}  // namespace marrow
