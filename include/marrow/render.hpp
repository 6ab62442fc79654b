#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "marrow/enum_names.hpp"
#include "marrow/mesh.hpp"
#include "marrow/options.hpp"
#include "marrow/rig.hpp"

namespace marrow {

struct Rgb {
  std::uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Rgb&) const = default;
};

/// A picture; rows from the top.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<Rgb> pixels;
};

/// Directions to look from. `quarter`: from the front, the right and above.
enum class View { front, back, left, right, top, quarter };
const EnumNames<View>& view_names();

struct RenderOptions {
  int width = 960;
  int height = 720;
  View view = View::quarter;
  Rgb background{250, 250, 248};
  bool wireframe = false;  ///< draw the polygons' edges over the surface
  bool ground = false;     ///< soft shadow on the ground, at the lowest point in view
};
/// Its fields for flags, JSON, reports and documentation.
std::vector<Option> option_table(RenderOptions& options);

/// A bone drawn over the surface, from one point to another; a dot if they are equal.
struct BoneMark {
  Vec3 from;
  Vec3 to;
  Rgb color;
};

/// Draws the mesh with the given positions, shaded and fitted to the picture. `colors`: one per vertex, or empty for
/// plain clay. `frame_around`: points to fit the view to instead, so that several frames share one view; may be empty.
/// Back faces are darker and bluish. A mesh without faces is drawn as points. Throws Error{bad_request} unless both
/// sides of the picture are 1 to 16384, Error{bad_input} for wrong numbers of positions or colours, or values that are
/// not finite.
Image render(const Mesh& mesh, std::span<const Vec3> positions, std::span<const Rgb> colors,
             std::span<const BoneMark> bones, const RenderOptions& options = {},
             std::span<const Vec3> frame_around = {});

/// Heat colours from blue (0) over green and yellow to red (`top` and above); perceptually uniform. Throws
/// Error{bad_request} unless `top` is finite and at least 0.
std::vector<Rgb> heat_colors(std::span<const float> values, float top);
/// A distinct colour per bone, mixed by the weights of each vertex.
std::vector<Rgb> bone_colors(const Weights& weights, std::size_t bones);
/// Weights of one bone, light grey (0) to dark red (1).
std::vector<Rgb> weight_colors(const Weights& weights, std::uint32_t bone);
/// The colour of bone j in bone_colors().
Rgb bone_color(std::size_t j);

/// Pictures in rows of `columns`, with a small gap.
Image tile(std::span<const Image> images, int columns);

/// Draws text (printable ASCII; other bytes as a box) with its upper left corner at (x, y). A letter's cell is 6 x 9
/// dots of `scale` pixels (1 to 64). Changes only pixels in [x, x + label_width(text, scale)) x [y, y + 9 * scale);
/// clips at the picture's border.
void draw_label(Image& image, int x, int y, const std::string& text, Rgb color = {48, 48, 52}, int scale = 2);
int label_width(const std::string& text, int scale = 2);

/// Draws a bar of heat_colors() in the lower right corner, with values from 0 to `top` below and `unit` (or any short
/// title) above. Stays within 146 s x 40 s pixels, s = max(1, width / 480).
void draw_heat_legend(Image& image, float top, const std::string& unit);

/// Writes 8 bits per channel. Both sides must be 1 to 16384.
void write_png(const Image& image, const std::filesystem::path& file);

}  // namespace marrow
